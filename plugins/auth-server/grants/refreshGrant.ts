import type { Log } from 'pegboard';
import type { IdentityProvider } from '../provider/identityProvider.ts';
import type { AccessTokens } from '../state/accessTokens.ts';
import type { Processes } from '../state/processes.ts';
import { digest, isSame } from '../state/secrets.ts';
import type { ProviderTokens, SignIn, Turn } from '../state/signIn.ts';
import { newRefreshToken } from '../state/signIns.ts';
import type { Presented, SignIns } from '../state/signIns.ts';
import type { Addresses } from '../web/addresses.ts';
import { OAuthError } from '../web/oauthError.ts';
import type { Params } from '../web/params.ts';
import type { Grant, GrantAnswer, GrantRequest } from './grant.ts';
import { tokenAnswer } from './tokenAnswer.ts';

/** Longer than any request to the provider. */
const MAX_TURN_MS = 90_000;

export interface RefreshGrantParts {
  readonly signIns: SignIns;
  readonly accessTokens: AccessTokens;
  readonly processes: Processes;
  readonly provider: () => IdentityProvider;
  readonly addresses: Addresses;
  readonly sessionMs: () => number;
  readonly log: Log;
}

/** `grant_type=refresh_token`. Each refresh token is used once; the use of a rotated one ends the sign-in. The provider is asked first,
 *  so that a fault there leaves the token as it is. A process that ends before it has answered leaves a mark: then the client may
 *  send the same token again. Source: RFC 9700 §4.14 */
export class RefreshGrant implements Grant {
  readonly type = 'refresh_token';
  readonly #parts: RefreshGrantParts;

  constructor(parts: RefreshGrantParts) {
    this.#parts = parts;
  }

  async redeem({ form, client, jkt }: GrantRequest): Promise<GrantAnswer> {
    const { signIns, accessTokens } = this.#parts;
    const presented = await signIns.presented(form.need('refresh_token'));
    if (presented === undefined) throw refused('refresh-token-unknown');
    const { signIn } = presented;
    if (signIn.clientId !== client.id) throw await this.#theft(signIn, 'refresh-token-of-other-client');
    if (signIn.jkt !== undefined && signIn.jkt !== jkt) throw refused('refresh-token-of-other-key');
    await this.#refuseRotated(presented);
    const scope = this.#scopeOf(form, signIn);
    const running = await this.#claim(presented);
    const provider = await this.#providerTokens(running, signIn);
    const { token, current } = newRefreshToken(signIn);
    const expiresAt = Date.now() + this.#parts.sessionMs();
    const turn: Turn = {
      state: 'unanswered',
      by: this.#parts.processes.own,
      since: Date.now(),
      from: digest(presented.secret),
    };
    const next: SignIn = { ...running, provider, current, expiresAt, turn };
    const body = await tokenAnswer(accessTokens, next, token, scope);
    if (!(await signIns.replace(running, next))) throw refused('sign-in-ended');
    accessTokens.forget(signIn.id);
    return { body, answered: () => void this.#answered(next) };
  }

  /** A rotated token is only accepted if no answer with its successor can have reached the client. */
  async #refuseRotated({ signIn, secret, generation }: Presented): Promise<void> {
    if (generation === 'current') return;
    const { turn } = signIn;
    const isLast = turn?.state === 'unanswered' && isSame(turn.from, digest(secret));
    if (isLast && !(await this.#parts.processes.isAlive(turn.by))) return;
    throw await this.#theft(signIn, 'refresh-token-reused');
  }

  async #theft(signIn: SignIn, reason: string): Promise<OAuthError> {
    await this.#parts.signIns.end(signIn.id, reason);
    this.#parts.log.warn('a refresh token was misused: its sign-in has ended', {
      signIn: signIn.id,
      client: signIn.clientId,
      reason,
    });
    return refused(reason);
  }

  #scopeOf(form: Params, signIn: SignIn): string {
    const asked = form.get('scope');
    const granted = signIn.scope.split(' ');
    if (asked !== undefined && !asked.split(' ').every((scope) => granted.includes(scope)))
      throw new OAuthError('invalid_scope', 'scope is wider than what was granted', {
        reason: 'scope-wider',
      });
    if (form.all('resource').some((resource) => !this.#parts.addresses.isOwn(resource)))
      throw new OAuthError('invalid_target', 'resource is not the one that the authorization was for', {
        reason: 'resource-not-ours',
      });
    return asked ?? signIn.scope;
  }

  /** Reserves the sign-in for this request, in one step for all processes. */
  async #claim({ signIn, secret }: Presented): Promise<SignIn> {
    const { processes, signIns } = this.#parts;
    const { turn } = signIn;
    const now = Date.now();
    const isRunning =
      turn?.state === 'running' && turn.since + MAX_TURN_MS > now && (await processes.isAlive(turn.by));
    const running: SignIn = {
      ...signIn,
      turn: { state: 'running', by: processes.own, since: now, from: digest(secret) },
    };
    if (isRunning || !(await signIns.replace(signIn, running))) throw refused('refresh-token-in-use');
    return running;
  }

  /** @throws OAuthError invalid_grant if the provider has ended the sign-in; else the refresh token stays usable */
  async #providerTokens(running: SignIn, before: SignIn): Promise<ProviderTokens> {
    const { signIns, provider } = this.#parts;
    const { provider: tokens, person, id } = running;
    if (tokens.refreshToken === undefined) {
      if ((tokens.expiresAt ?? Infinity) > Date.now()) return tokens;
      await signIns.end(id, 'provider-tokens-expired');
      throw refused('provider-tokens-expired');
    }
    try {
      return await provider().refresh(person, tokens);
    } catch (error) {
      if (error instanceof OAuthError && error.error === 'invalid_grant') {
        await signIns.end(id, error.reason);
        throw refused(error.reason);
      }
      await signIns.replace(running, before);
      throw error;
    }
  }

  /** If it fails, the mark stays: it matters only once this process has ended. */
  async #answered(signIn: SignIn): Promise<void> {
    const { signIns, log } = this.#parts;
    await signIns
      .replace(signIn, { ...signIn, turn: undefined })
      .catch((error: unknown) => log.debug('refresh not closed', { error }));
  }
}

function refused(reason: string): OAuthError {
  return new OAuthError('invalid_grant', 'Refresh token is invalid or expired', { reason });
}
