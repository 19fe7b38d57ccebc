import type { IdentityProvider } from '../provider/identityProvider.ts';
import type { Processes } from '../state/processes.ts';
import type { ProviderTokens, SignIn } from '../state/signIn.ts';
import type { SignIns } from '../state/signIns.ts';
import { OAuthError } from '../web/oauthError.ts';

/** Longer than any request to the provider. */
const MAX_TURN_MS = 90_000;

export interface ProviderTurnsParts {
  readonly signIns: SignIns;
  readonly processes: Processes;
  readonly provider: () => IdentityProvider;
}
/** A sign-in that only this request may change. */
export interface ProviderTurn {
  readonly running: SignIn;
  readonly tokens: ProviderTokens;
}

/** New tokens of the identity provider for a sign-in, by one request of all processes at a time. */
export class ProviderTurns {
  readonly #parts: ProviderTurnsParts;

  constructor(parts: ProviderTurnsParts) {
    this.#parts = parts;
  }

  /** Reserves the sign-in, and asks the provider. @param from digest of the secret that the client sent; empty without one
   *  @returns undefined if another request has the sign-in, or has changed it
   *  @throws OAuthError invalid_grant if the provider has ended the sign-in, which then ends here; else it is as it was before */
  async take(signIn: SignIn, from: string): Promise<ProviderTurn | undefined> {
    const { signIns, processes } = this.#parts;
    if (await this.isTaken(signIn)) return undefined;
    const running: SignIn = {
      ...signIn,
      turn: { state: 'running', by: processes.own, since: Date.now(), from },
    };
    if (!(await signIns.replace(signIn, running))) return undefined;
    try {
      return { running, tokens: await this.#newTokens(running) };
    } catch (error) {
      if (!(error instanceof OAuthError) || error.error !== 'invalid_grant')
        await signIns.replace(running, signIn);
      throw error;
    }
  }

  /** Whether a living process has it now. */
  async isTaken({ turn }: SignIn): Promise<boolean> {
    if (turn?.state !== 'running' || turn.since + MAX_TURN_MS <= Date.now()) return false;
    return this.#parts.processes.isAlive(turn.by);
  }

  async #newTokens({ id, provider: before, person }: SignIn): Promise<ProviderTokens> {
    const { signIns, provider } = this.#parts;
    try {
      if (before.refreshToken !== undefined) return await provider().refresh(person, before);
      if ((before.expiresAt ?? Infinity) > Date.now()) return before;
      throw new OAuthError('invalid_grant', 'the sign-in at the identity provider has ended', {
        reason: 'provider-tokens-expired',
      });
    } catch (error) {
      if (error instanceof OAuthError && error.error === 'invalid_grant') await signIns.end(id, error.reason);
      throw error;
    }
  }
}
