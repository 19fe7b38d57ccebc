import type { Identity, IdentityProvider } from '../provider/identityProvider.ts';
import type { Attempt, AttemptState, Attempts } from '../state/attempts.ts';
import type { IssuedTokens, SignIn, TokenChange } from '../state/signIn.ts';
import type { SignIns } from '../state/signIns.ts';
import { OAuthError } from '../../kit/oauth/oauthError.ts';
import { recentlyUsed } from '../../kit/limits/recentlyUsed.ts';
import { IN_USE, busy } from './busy.ts';

/** Longer than any request to the provider. */
const MAX_TURN_MS = 90_000;
const MAX_UNSTORED = 1_000;

export interface Taken extends SignIn {
  readonly turn: TokenChange;
}
/** A sign-in that only this request may change, and what the provider says and has issued for it now. */
export interface ProviderTurn {
  readonly running: Taken;
  readonly identity: Identity;
}

/** New tokens of the identity provider for a sign-in, by one request of all processes at a time. */
export class ProviderTurns {
  readonly #signIns: SignIns;
  readonly #attempts: Attempts;
  readonly #provider: Pick<IdentityProvider, 'refresh'>;
  /** What the provider has issued for a refresh token while the vault could not be written: many providers accept each only once. */
  readonly #unstored = recentlyUsed<Identity>(MAX_UNSTORED);

  constructor(signIns: SignIns, attempts: Attempts, provider: Pick<IdentityProvider, 'refresh'>) {
    this.#signIns = signIns;
    this.#attempts = attempts;
    this.#provider = provider;
  }

  /** Reserves the sign-in, and asks the provider. Who takes a turn ends its attempt.
   *  @param from digest of the secret that the client sent; empty without one @param before what it becomes again if that fails
   *  @throws OAuthError temporarily_unavailable if another request has it; invalid_grant if the provider has ended the sign-in, which
   *  then ends here; else it is as it was before */
  async take(signIn: SignIn, from: string, before = signIn): Promise<ProviderTurn> {
    const attempt = this.#attempts.begin();
    try {
      const running = await this.#claim(signIn, from, attempt);
      return { running, identity: await this.#newIdentity(running, before) };
    } catch (error) {
      this.#attempts.forget(attempt);
      throw error;
    }
  }

  /** The vault has the new tokens. @param before the provider's tokens before them */
  stored({ refreshToken = '' }: IssuedTokens): void {
    this.#unstored.delete(refreshToken);
  }

  async stateOf({ state: turn, attempt, since }: TokenChange): Promise<AttemptState> {
    if (turn === 'lost') return 'failed';
    const state = await this.#attempts.stateOf(attempt);
    // It could not say that it failed. If it continues, its change is refused.
    return turn === 'running' && state === 'unclear' && since + MAX_TURN_MS < Date.now() ? 'failed' : state;
  }

  /** Claims the turn in one step for all processes. */
  async #claim(signIn: SignIn, from: string, attempt: Attempt): Promise<Taken> {
    const { turn } = signIn;
    const isRunning = turn?.state === 'running' && (await this.stateOf(turn)) !== 'failed';
    const running: Taken = {
      ...signIn,
      // An answer that was lost before stays repeatable.
      turn: { state: 'running', attempt, since: Date.now(), from: from || (turn?.from ?? '') },
    };
    if (isRunning || !(await this.#signIns.replace(signIn, running))) throw busy(IN_USE);
    return running;
  }

  async #newIdentity(running: Taken, before: SignIn): Promise<Identity> {
    const { provider: tokens, person, id } = running;
    try {
      if (tokens.refreshToken === undefined) return { person, provider: stillGood(tokens) };
      const former = this.#unstored.get(tokens.refreshToken) ?? { person, provider: tokens };
      const next = await this.#provider.refresh(former);
      this.#unstored.set(tokens.refreshToken, next);
      return next;
    } catch (error) {
      const isOver = error instanceof OAuthError && error.error === 'invalid_grant';
      if (isOver) await this.#signIns.end(id, error.reason);
      else await this.#signIns.replace(running, before);
      throw error;
    }
  }
}

function stillGood(tokens: IssuedTokens): IssuedTokens {
  if ((tokens.expiresAt ?? Infinity) > Date.now()) return tokens;
  throw new OAuthError('invalid_grant', 'the sign-in at the identity provider has ended', {
    reason: 'provider-tokens-expired',
  });
}
