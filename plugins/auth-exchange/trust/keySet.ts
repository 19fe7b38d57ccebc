import { setTimeout as pause } from 'node:timers/promises';
import { decodeProtectedHeader, errors, jwtVerify } from 'jose';
import type { JWTVerifyGetKey, JWTVerifyOptions, JWTVerifyResult } from 'jose';
import type { GuardedFetch } from 'pegboard/net';
import { NoKeys, readKeys } from './readKeys.ts';

/** Age from which the keys are read again while the known ones are used. */
const FRESH_MS = 300_000;
/** Time for which a removed key can be used if the issuer cannot be reached. */
const USABLE_MS = 3_600_000;
/** Time between two reads, successful or not, so that tokens with invented keys cannot flood the issuer. */
const COOL_DOWN_MS = 5_000;
const MAX_WAITING = 100;

export interface KeySetParts {
  readonly url: string;
  readonly fetch: GuardedFetch;
  /** Ends waiting and reading. */
  readonly signal: AbortSignal;
  /** Called when a read fails. */
  readonly failed: (error: unknown) => void;
  readonly coolDownMs?: number;
  /** The clock in ms; never goes back. */
  readonly now?: () => number;
}
interface Keys {
  readonly get: JWTVerifyGetKey;
  /** Which read it was, and when that began. */
  readonly read: number;
  readonly readAt: number;
}

/** The keys of an issuer cannot be read now; another attempt may succeed. */
export class KeysUnavailable extends Error {}

/** The published keys of an issuer. A token whose key is not known waits for the next read, so that a rotation of keys refuses none.
 *  Source: RFC 7517, https://openid.net/specs/openid-connect-core-1_0.html#RotateSigKeys */
export class KeySet {
  readonly #parts: Required<KeySetParts>;
  #keys: Keys | undefined;
  #reading: Promise<Keys> | undefined;
  #nextRead: Promise<Keys> | undefined;
  #reads = 0;
  #readAt = -Infinity;
  #waiting = 0;

  constructor(parts: KeySetParts) {
    this.#parts = { coolDownMs: COOL_DOWN_MS, now: () => performance.now(), ...parts };
  }

  /** @throws KeysUnavailable @throws jose's errors for a token that is refused */
  async verify(token: string, options: JWTVerifyOptions): Promise<JWTVerifyResult> {
    const readsBefore = this.#reads;
    let keys = await this.#usable();
    for (;;) {
      try {
        return await verifyBy(keys.get, token, options);
      } catch (error) {
        // A read that began after the token came has its key, or none has.
        if (keys.read > readsBefore || !mayBeOfNewKey(error, token)) throw error;
      }
      keys = await this.#newerThan(keys);
    }
  }

  async #usable(): Promise<Keys> {
    const keys = this.#keys;
    const age = keys === undefined ? Infinity : this.#parts.now() - keys.readAt;
    if (keys === undefined || age >= USABLE_MS) {
      if (this.#reading === undefined && this.#leftMs() > 0)
        throw new KeysUnavailable('the last read has failed');
      return this.#read();
    }
    // A failure has been reported by `failed`.
    if (age >= FRESH_MS && this.#leftMs() === 0) this.#read().catch(() => undefined);
    return keys;
  }

  async #newerThan(known: Keys): Promise<Keys> {
    if (this.#keys !== undefined && this.#keys !== known) return this.#keys;
    if (this.#waiting >= MAX_WAITING) throw new KeysUnavailable('too many tokens wait for the next read');
    this.#waiting += 1;
    try {
      return await (this.#reading ?? this.#next());
    } finally {
      this.#waiting -= 1;
    }
  }

  /** One for all that wait. */
  #next(): Promise<Keys> {
    this.#nextRead ??= this.#readWhenCool().finally(() => (this.#nextRead = undefined));
    return this.#nextRead;
  }

  async #readWhenCool(): Promise<Keys> {
    const leftMs = this.#leftMs();
    if (leftMs > 0)
      await pause(leftMs, undefined, { signal: this.#parts.signal }).catch((cause: unknown) => {
        throw new KeysUnavailable('the plugin has ended', { cause });
      });
    return this.#read();
  }

  /** What is left of the cool-down, in ms; 0 once it has passed. */
  #leftMs(): number {
    return Math.max(0, this.#readAt + this.#parts.coolDownMs - this.#parts.now());
  }

  #read(): Promise<Keys> {
    this.#reading ??= this.#fetched().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #fetched(): Promise<Keys> {
    const { url, fetch, signal, failed, now } = this.#parts;
    this.#reads += 1;
    this.#readAt = now();
    const keys = { read: this.#reads, readAt: this.#readAt };
    try {
      this.#keys = { ...keys, get: await readKeys(url, fetch, signal) };
      return this.#keys;
    } catch (error) {
      // The issuer itself says that it signs with none of them.
      if (error instanceof NoKeys) this.#keys = undefined;
      if (!signal.aborted) failed(error);
      throw new KeysUnavailable('the keys cannot be read', { cause: error });
    }
  }
}

/** A token without kid may be signed with any of several keys. */
async function verifyBy(
  keys: JWTVerifyGetKey,
  token: string,
  options: JWTVerifyOptions,
): Promise<JWTVerifyResult> {
  try {
    return await jwtVerify(token, keys, options);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      const verified = await jwtVerify(token, key, options).catch(unlessOfAnotherKey);
      if (verified !== undefined) return verified;
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

function unlessOfAnotherKey(error: unknown): undefined {
  if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
}

/** A key without kid is replaced under the same name. */
function mayBeOfNewKey(error: unknown, token: string): boolean {
  if (error instanceof errors.JWKSNoMatchingKey) return true;
  return (
    error instanceof errors.JWSSignatureVerificationFailed && decodeProtectedHeader(token).kid === undefined
  );
}
