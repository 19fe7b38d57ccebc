import { decodeJwt } from 'jose';
import type { Caller } from 'pegboard';
import { OAuthError } from '../../kit/oauth/oauthError.ts';
import { recentlyUsed } from '../../kit/limits/recentlyUsed.ts';
import type { IssuedTokens, SignIn } from '../state/signIn.ts';
import type { SignIns } from '../state/signIns.ts';
import type { TokenSet } from '../state/tokenSets.ts';
import type { TokenSetRefresh } from './tokenSetRefresh.ts';

/** Time before the end of a token, but at most half of its life: so long it may be on its way. */
const MARGIN_MS = 60_000;
/** The same for access tokens, which do not say when they were issued. */
const ACCESS_MARGIN_MS = 10_000;
/** Time before a refresh that brought no new token is tried again. */
const PAUSE_MS = 60_000;
const MAX_TRIED = 10_000;
/** Longest wait for a refresh by another process. */
const MAX_WAIT_MS = 10_000;

export type TokenKind = 'idToken' | 'accessToken';

/** The identity provider's tokens of sign-ins, refreshed before they end. */
export class FreshIdTokens {
  readonly #signIns: SignIns;
  readonly #refresh: TokenSetRefresh;
  readonly #flights = new Map<string, Promise<string | undefined>>();
  readonly #unhelpful = recentlyUsed<true>(MAX_TRIED, PAUSE_MS);

  constructor(signIns: SignIns, refresh: TokenSetRefresh) {
    this.#signIns = signIns;
    this.#refresh = refresh;
  }

  /** Undefined if the sign-in has ended, or its provider issues no new one.
   *  @throws OAuthError temporarily_unavailable @throws GatewayError STORE_UNREACHABLE */
  async of({ subject, issuer, claims }: Caller, kind: TokenKind = 'idToken'): Promise<string | undefined> {
    const id = claims?.['sid'];
    if (typeof id !== 'string') return undefined;
    const signIn = await this.#signIns.find(id);
    // Another plugin may identify callers, with claims of its own.
    if (signIn?.person.subject !== subject || signIn.person.issuer !== issuer) return undefined;
    const held = heldIn(signIn.provider, kind);
    const key = `${kind} ${id}`;
    if (held.endsAt - held.marginMs > Date.now() || this.#unhelpful.has(key)) return livingOf(held);
    try {
      const flight =
        this.#flights.get(key) ?? this.#next(signIn, kind, held).finally(() => this.#flights.delete(key));
      this.#flights.set(key, flight);
      return await flight;
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      if (error.error === 'invalid_grant') return undefined;
      const still = livingOf(held);
      if (still === undefined) throw error;
      return still;
    }
  }

  /** For a token that has ended, it waits for a refresh by another process. */
  async #next({ id, tokenSet }: SignIn, kind: TokenKind, before: Held): Promise<string | undefined> {
    const isGood = ({ tokens }: TokenSet): boolean =>
      tokens.refreshToken === undefined || heldIn(tokens, kind).token !== before.token;
    const waitMs = livingOf(before) === undefined ? MAX_WAIT_MS : 0;
    const { tokens } = await this.#refresh.refreshed(tokenSet, isGood, waitMs);
    const next = heldIn(tokens, kind);
    if (next.token === before.token) this.#unhelpful.set(`${kind} ${id}`, true);
    return livingOf(next);
  }
}

interface Held {
  readonly token: string;
  /** Time in ms since 1970. */
  readonly endsAt: number;
  readonly marginMs: number;
}

function heldIn({ idToken, accessToken, expiresAt = Infinity }: IssuedTokens, kind: TokenKind): Held {
  if (kind === 'accessToken') return { token: accessToken, endsAt: expiresAt, marginMs: ACCESS_MARGIN_MS };
  const { exp = 0, iat = -Infinity } = decodeJwt(idToken);
  return { token: idToken, endsAt: exp * 1_000, marginMs: Math.min(MARGIN_MS, (exp - iat) * 500) };
}

function livingOf({ token, endsAt }: Held): string | undefined {
  return endsAt > Date.now() ? token : undefined;
}

/** The token, unless it has ended. */
export function living(token: string): string | undefined {
  const { exp = 0 } = decodeJwt(token);
  return exp * 1_000 > Date.now() ? token : undefined;
}
