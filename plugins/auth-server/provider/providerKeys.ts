import { setTimeout as wait } from 'node:timers/promises';
import { createRemoteJWKSet, customFetch, errors, jwtVerify } from 'jose';
import type { JWTVerifyOptions, JWTVerifyResult } from 'jose';
import type { GuardedFetch } from 'pegboard/net';
import { SIGNATURE_ALGORITHMS } from '../../contracts/oauth.ts';

/** How often a token can have the keys read again. */
const COOLDOWN_MS = 2_000;
/** Tokens that wait for that at once: strangers can send tokens with invented keys. */
const MAX_WAITING = 100;

/** The keys with which the identity provider signs. They may change between two of its answers. */
export class ProviderKeys {
  readonly uri: string;
  readonly #keys: ReturnType<typeof createRemoteJWKSet>;
  #waiting = 0;

  constructor(uri: string, fetch: GuardedFetch) {
    this.uri = uri;
    this.#keys = createRemoteJWKSet(new URL(uri), { [customFetch]: fetch, cooldownDuration: COOLDOWN_MS });
  }

  /** For a key that is not known, the keys are read again first; a token that comes too early for that waits.
   *  @throws what jose throws: see isUnverified() */
  async verify(token: string, options: JWTVerifyOptions): Promise<JWTVerifyResult> {
    const isEarly = this.#keys.coolingDown;
    const verify = (): Promise<JWTVerifyResult> =>
      jwtVerify(token, this.#keys, { algorithms: [...SIGNATURE_ALGORITHMS], ...options });
    try {
      return await verify();
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || !isEarly || this.#waiting >= MAX_WAITING)
        throw error;
    }
    this.#waiting += 1;
    try {
      await wait(COOLDOWN_MS, undefined, { ref: false });
    } finally {
      this.#waiting -= 1;
    }
    return verify();
  }
}

/** Whether a token may be good: only its key is not known, or the keys cannot be read. */
export function isUnverified(error: unknown): boolean {
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSTimeout) return true;
  // jose has no class of its own for an answer without a key set.
  return !(error instanceof errors.JOSEError) || error.code === 'ERR_JOSE_GENERIC';
}
