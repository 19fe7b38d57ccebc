import { setTimeout } from 'node:timers/promises';
import { decodeJwt } from 'jose';
import type { Caller } from 'pegboard';
import { OAuthError } from '../../kit/oauth/oauthError.ts';
import { recentlyUsed } from '../../kit/limits/recentlyUsed.ts';
import type { SignIn } from '../state/signIn.ts';
import type { SignIns } from '../state/signIns.ts';
import { IN_USE } from './busy.ts';
import type { ProviderAhead } from './providerAhead.ts';

/** Time before the end of a token, but at most half of its life: so long it may be on its way. */
const MARGIN_MS = 60_000;
/** Time before a refresh that brought no new id_token is tried again. */
const PAUSE_MS = 60_000;
const MAX_TRIED = 10_000;
const POLL_MS = 100;
/** Longest wait for a refresh by another process. */
const MAX_WAIT_MS = 10_000;

/** The identity provider's id_tokens of sign-ins, refreshed before they end. */
export class FreshIdTokens {
  readonly #signIns: SignIns;
  readonly #ahead: Pick<ProviderAhead, 'refresh'>;
  readonly #flights = new Map<string, Promise<string | undefined>>();
  readonly #unhelpful = recentlyUsed<true>(MAX_TRIED, PAUSE_MS);

  constructor(signIns: SignIns, ahead: Pick<ProviderAhead, 'refresh'>) {
    this.#signIns = signIns;
    this.#ahead = ahead;
  }

  /** Undefined if the sign-in has ended, or its provider issues no new one.
   *  @throws OAuthError temporarily_unavailable @throws GatewayError STORE_UNREACHABLE */
  async of({ subject, issuer, claims }: Caller): Promise<string | undefined> {
    const id = claims?.['sid'];
    if (typeof id !== 'string') return undefined;
    const signIn = await this.#signIns.find(id);
    // Another plugin may identify callers, with claims of its own.
    if (signIn?.person.subject !== subject || signIn.person.issuer !== issuer) return undefined;
    const { idToken } = signIn.provider;
    if (!isDue(idToken) || this.#unhelpful.has(id)) return living(idToken);
    try {
      const flight = this.#flights.get(id) ?? this.#next(signIn).finally(() => this.#flights.delete(id));
      this.#flights.set(id, flight);
      return await flight;
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      if (error.error === 'invalid_grant') return undefined;
      const still = living(idToken);
      if (still === undefined) throw error;
      return still;
    }
  }

  async #next({ id, provider: { idToken } }: SignIn): Promise<string | undefined> {
    await this.#refreshed(id, idToken);
    const next = (await this.#signIns.find(id))?.provider.idToken;
    if (next === idToken) this.#unhelpful.set(id, true);
    return next === undefined ? undefined : living(next);
  }

  /** One process refreshes; for a token that has ended the others wait for it. */
  async #refreshed(id: string, idToken: string): Promise<void> {
    const until = Date.now() + MAX_WAIT_MS;
    for (;;) {
      try {
        await this.#ahead.refresh(id);
        return;
      } catch (error) {
        const isTaken = error instanceof OAuthError && error.reason === IN_USE;
        if (!isTaken || living(idToken) !== undefined || Date.now() > until) throw error;
      }
      await setTimeout(POLL_MS);
      if ((await this.#signIns.find(id))?.provider.idToken !== idToken) return;
    }
  }
}

function isDue(token: string): boolean {
  const { exp = 0, iat = -Infinity } = decodeJwt(token);
  const marginMs = Math.min(MARGIN_MS, (exp - iat) * 500);
  return exp * 1_000 - marginMs <= Date.now();
}

/** The token, unless it has ended. */
export function living(token: string): string | undefined {
  const { exp = 0 } = decodeJwt(token);
  return exp * 1_000 > Date.now() ? token : undefined;
}
