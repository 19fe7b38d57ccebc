import { setTimeout } from 'node:timers/promises';
import { OAuthError } from '../../kit/oauth/oauthError.ts';
import { recentlyUsed } from '../../kit/limits/recentlyUsed.ts';
import { REPLACED } from '../provider/refusedRefresh.ts';
import type { IdentityProvider } from '../provider/identityProvider.ts';
import type { Attempts } from '../state/attempts.ts';
import type { Identity, IssuedTokens } from '../state/signIn.ts';
import type { TokenSet, TokenSets } from '../state/tokenSets.ts';
import { IN_USE, busy } from './busy.ts';

/** Longer than any request to the provider. */
const MAX_REFRESH_MS = 90_000;
const MAX_UNSTORED = 1_000;
const POLL_MS = 100;
/** Longer than an answer of the provider to a sign-in is on its way to the vault. */
const SIGNING_IN_MS = 2_000;

/** Ends what uses a token set, or has it use another one. @returns the key of that one */
type Refused = (key: string, set: TokenSet, reason: string) => Promise<string | undefined>;

/** New tokens of the identity provider for a token set, asked for by one request of all processes at a time, for all of them. */
export class TokenSetRefresh {
  readonly #tokenSets: TokenSets;
  readonly #attempts: Attempts;
  readonly #provider: Pick<IdentityProvider, 'refresh'>;
  readonly #sessionMs: () => number;
  readonly #refused: Refused;
  readonly #running = new Map<string, Promise<TokenSet | undefined>>();
  /** What the provider has issued for a refresh token while the vault could not be written: many providers accept each only once. */
  readonly #unstored = recentlyUsed<Identity>(MAX_UNSTORED);

  /** @param sessionMs for so long sign-ins may go on to use it @param refused called once the provider has refused a token set */
  constructor(
    tokenSets: TokenSets,
    attempts: Attempts,
    provider: Pick<IdentityProvider, 'refresh'>,
    sessionMs: () => number,
    refused: Refused,
  ) {
    this.#tokenSets = tokenSets;
    this.#attempts = attempts;
    this.#provider = provider;
    this.#sessionMs = sessionMs;
    this.#refused = refused;
  }

  /** The token set once it is good enough, or has been refreshed now.
   *  @param isGood whether it need not be refreshed @param waitMs how long it may take another process
   *  @throws OAuthError temporarily_unavailable if another process has it, or the provider cannot be asked; invalid_grant if the provider
   *  has ended it */
  async refreshed(key: string, isGood: (set: TokenSet) => boolean, waitMs: number): Promise<TokenSet> {
    const until = Date.now() + waitMs;
    for (;;) {
      const found = await this.#tokenSets.find(key);
      if (found === undefined) throw ended('token-set-unknown');
      if (isGood(found)) return found;
      const running =
        this.#running.get(key) ?? this.#refresh(key, found).finally(() => this.#running.delete(key));
      this.#running.set(key, running);
      const next = await running;
      if (next !== undefined) return next;
      if (Date.now() >= until) throw busy(IN_USE);
      await setTimeout(POLL_MS);
    }
  }

  /** @returns undefined if another process has it, or has changed it meanwhile */
  async #refresh(key: string, found: TokenSet): Promise<TokenSet | undefined> {
    if (await this.#isTaken(found)) return undefined;
    const attempt = this.#attempts.begin();
    const taken: TokenSet = { ...found, refresh: { attempt, since: Date.now() } };
    try {
      if (!(await this.#tokenSets.replace(key, found, taken))) return undefined;
      const next = await this.#asked(key, found, taken);
      const isStored = await this.#tokenSets.replace(key, taken, next);
      this.#unstored.delete(found.tokens.refreshToken ?? '');
      return isStored ? next : ((await this.#newer(key, found)) ?? next);
    } catch (error) {
      if (!isOver(error)) throw error;
      // A person who has signed in meanwhile has brought other tokens, or is about to: they were replaced before the answer is stored.
      if (error.reason === REPLACED) await setTimeout(SIGNING_IN_MS);
      const newer = await this.#newer(key, found);
      if (newer !== undefined) return newer;
      const other = await this.#refused(key, taken, error.reason);
      if (other === undefined) throw error;
      return await this.refreshed(other, () => false, 0);
    } finally {
      this.#attempts.forget(attempt);
    }
  }

  async #isTaken({ refresh }: TokenSet): Promise<boolean> {
    if (refresh === undefined || refresh.since + MAX_REFRESH_MS < Date.now()) return false;
    return (await this.#attempts.stateOf(refresh.attempt)) !== 'failed';
  }

  async #asked(key: string, found: TokenSet, taken: TokenSet): Promise<TokenSet> {
    const { person, tokens } = found;
    try {
      const issued = await this.#issued({ person, provider: tokens });
      return {
        ...found,
        person: issued.person,
        tokens: issued.provider,
        issuedAt: Date.now(),
        expiresAt: Math.max(found.expiresAt, Date.now() + this.#sessionMs()),
        refresh: undefined,
      };
    } catch (error) {
      if (!isOver(error)) await this.#tokenSets.replace(key, taken, { ...found, refresh: undefined });
      throw error;
    }
  }

  async #issued(held: Identity): Promise<Identity> {
    const { refreshToken } = held.provider;
    if (refreshToken === undefined) return { ...held, provider: stillGood(held.provider) };
    const next = await this.#provider.refresh(this.#unstored.get(refreshToken) ?? held);
    this.#unstored.set(refreshToken, next);
    return next;
  }

  /** What a sign-in has put in its place meanwhile. */
  async #newer(key: string, { tokens }: TokenSet): Promise<TokenSet | undefined> {
    const found = await this.#tokenSets.find(key);
    return found?.tokens.accessToken === tokens.accessToken ? undefined : found;
  }
}

function isOver(error: unknown): error is OAuthError {
  return error instanceof OAuthError && error.error === 'invalid_grant';
}

function stillGood(tokens: IssuedTokens): IssuedTokens {
  if ((tokens.expiresAt ?? Infinity) > Date.now()) return tokens;
  throw ended('provider-tokens-expired');
}

function ended(reason: string): OAuthError {
  return new OAuthError('invalid_grant', 'the sign-in at the identity provider has ended', { reason });
}
