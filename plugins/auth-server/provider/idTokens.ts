import type { Caller, Log } from 'pegboard';
import { messageOf } from 'pegboard';
import { digest } from '../../kit/secrets/secrets.ts';
import { recentlyUsed } from '../../kit/limits/recentlyUsed.ts';
import type { ExternalCallers } from './externalCallers.ts';
import type { IdentityProvider } from './identityProvider.ts';
import { claimAt } from './personOf.ts';

const MAX_KNOWN = 10_000;
/** Then a token is verified again: its key may have been withdrawn. */
const KNOWN_MS = 60_000;
const CLOCK_TOLERANCE_S = 5;

interface Known {
  readonly caller: Caller;
  /** Time in ms since 1970. */
  readonly until: number;
}

/** Accepts id tokens that the identity provider issued for another client, if that client is in trustedAudiences. */
export class IdTokens {
  readonly #provider: IdentityProvider;
  readonly #audiences: () => readonly string[];
  readonly #external: ExternalCallers;
  readonly #log: Log;
  readonly #known = recentlyUsed<Known>(MAX_KNOWN);
  readonly #callers = new WeakSet<Caller>();

  constructor(
    provider: IdentityProvider,
    audiences: () => readonly string[],
    external: ExternalCallers,
    log: Log,
  ) {
    this.#provider = provider;
    this.#audiences = audiences;
    this.#external = external;
    this.#log = log;
  }

  /** Answers without a promise if the token was accepted within the last minute, or cannot be accepted. */
  find(token: string): Caller | undefined | Promise<Caller | undefined> {
    if (this.#audiences().length === 0 || token.split('.').length !== 3) return undefined;
    const known = this.#known.get(digest(token));
    return known === undefined || known.until <= Date.now() ? this.#verify(token) : known.caller;
  }

  /** Whether the provider has been found. */
  get isReady(): boolean {
    return this.#provider.isReady;
  }

  /** Whether that caller was identified by an id token. */
  isOf(caller: Caller): boolean {
    return this.#callers.has(caller);
  }

  /** A change of trustedAudiences has every token verified again. */
  forget(): void {
    this.#known.clear();
  }

  async #verify(token: string): Promise<Caller | undefined> {
    const trusted = this.#provider.verification();
    if (trusted === undefined) return undefined;
    try {
      const { payload, protectedHeader } = await trusted.keys.verify(token, {
        issuer: trusted.issuer,
        audience: [...this.#audiences()],
        clockTolerance: CLOCK_TOLERANCE_S,
        requiredClaims: ['sub', 'exp', 'iat'],
      });
      // An access token (at+jwt) may be meant for another resource.
      if (protectedHeader.typ !== undefined && protectedHeader.typ.toUpperCase() !== 'JWT') return undefined;
      const { sub: subject = '', azp, aud } = payload;
      const clientId = [azp, aud].flat().find((id) => typeof id === 'string') ?? '';
      const { issuer, groupsClaim } = trusted;
      const claims = { ...payload, groups: claimAt(payload, groupsClaim) };
      const caller = await this.#external.callerOf({ issuer, subject, claims, clientId });
      const until = Math.min((payload.exp ?? 0) * 1_000, Date.now() + KNOWN_MS);
      this.#callers.add(caller);
      this.#known.set(digest(token), { caller, until });
      return caller;
    } catch (error) {
      this.#log.debug('an id token was not accepted', { reason: messageOf(error) });
      return undefined;
    }
  }
}
