import { setTimeout as pause } from 'node:timers/promises';
import { decodeProtectedHeader, errors, jwtVerify } from 'jose';
import type { JWTVerifyGetKey, JWTVerifyOptions, JWTVerifyResult } from 'jose';
import type { GuardedFetch } from 'pegboard/net';
import { readKeys } from './readKeys.ts';

/** From then on the keys are read again while the known ones are used. */
const FRESH_MS = 300_000;
/** For so long a removed key can be used if the issuer cannot be reached. */
const USABLE_MS = 3_600_000;
/** Between two reads, successful or not, so that tokens with invented keys cannot flood the issuer. */
const COOL_DOWN_MS = 5_000;
const MAX_WAITING = 100;

export interface KeySetParts {
  readonly url: string;
  readonly fetch: GuardedFetch;
  /** Ends waiting. */
  readonly signal: AbortSignal;
  /** Called when a read fails. */
  readonly failed: (error: unknown) => void;
  readonly coolDownMs?: number;
  /** In ms since 1970. */
  readonly now?: () => number;
}
interface Keys {
  readonly get: JWTVerifyGetKey;
  readonly readAt: number;
}

/** The keys of an issuer cannot be read. */
export class KeysUnavailable extends Error {}

/** The published keys of an issuer. A token whose key is not known waits for the next read, so that a rotation of keys refuses none.
 *  Source: RFC 7517, https://openid.net/specs/openid-connect-core-1_0.html#RotateSigKeys */
export class KeySet {
  readonly #parts: Required<KeySetParts>;
  #keys: Keys | undefined;
  #reading: Promise<Keys> | undefined;
  #readAt = -Infinity;
  #waiting = 0;

  constructor(parts: KeySetParts) {
    this.#parts = { coolDownMs: COOL_DOWN_MS, now: Date.now, ...parts };
  }

  /** @throws KeysUnavailable @throws jose's errors for a token that is refused */
  async verify(token: string, options: JWTVerifyOptions): Promise<JWTVerifyResult> {
    const known = await this.#usable();
    try {
      return await jwtVerify(token, known.get, options);
    } catch (error) {
      if (!mayBeOfNewKey(error, token)) throw error;
      const newer = await this.#newerThan(known, error);
      return await jwtVerify(token, newer.get, options);
    }
  }

  async #usable(): Promise<Keys> {
    const { now } = this.#parts;
    const age = this.#keys === undefined ? Infinity : now() - this.#keys.readAt;
    if (this.#keys === undefined || age >= USABLE_MS) return this.#read();
    // A failure has been reported by `failed`.
    if (age >= FRESH_MS && this.#isCool()) this.#read().catch(() => undefined);
    return this.#keys;
  }

  /** @throws what the first attempt threw, if too many wait already */
  async #newerThan(known: Keys, first: unknown): Promise<Keys> {
    if (this.#keys !== undefined && this.#keys !== known) return this.#keys;
    if (this.#waiting >= MAX_WAITING) throw first;
    this.#waiting += 1;
    try {
      const leftMs = this.#readAt + this.#parts.coolDownMs - this.#parts.now();
      if (leftMs > 0) await pause(leftMs, undefined, { signal: this.#parts.signal });
      if (this.#keys !== undefined && this.#keys !== known) return this.#keys;
      return await this.#read();
    } finally {
      this.#waiting -= 1;
    }
  }

  #isCool(): boolean {
    return this.#parts.now() - this.#readAt >= this.#parts.coolDownMs;
  }

  /** @throws KeysUnavailable at once after a failure */
  async #read(): Promise<Keys> {
    if (this.#reading !== undefined) return this.#reading;
    if (!this.#isCool()) throw new KeysUnavailable('the last read has failed');
    this.#readAt = this.#parts.now();
    this.#reading = this.#fetched().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #fetched(): Promise<Keys> {
    const { url, fetch, failed, now } = this.#parts;
    try {
      const keys = await readKeys(url, fetch);
      this.#keys = { get: keys, readAt: now() };
      return this.#keys;
    } catch (error) {
      failed(error);
      throw new KeysUnavailable('the keys cannot be read', { cause: error });
    }
  }
}

/** A key without kid is replaced under the same name. */
function mayBeOfNewKey(error: unknown, token: string): boolean {
  if (error instanceof errors.JWKSNoMatchingKey) return true;
  return (
    error instanceof errors.JWSSignatureVerificationFailed && decodeProtectedHeader(token).kid === undefined
  );
}
