import type { Log } from 'pegboard';
import type { Client } from '../clients/client.ts';
import type { AccessTokens } from '../state/accessTokens.ts';
import type { Processes } from '../state/processes.ts';
import { digest, isSame } from '../state/secrets.ts';
import type { SignIn, Turn } from '../state/signIn.ts';
import { newRefreshToken } from '../state/signIns.ts';
import type { Presented, SignIns } from '../state/signIns.ts';
import type { Addresses } from '../web/addresses.ts';
import { OAuthError } from '../web/oauthError.ts';
import type { Params } from '../web/params.ts';
import type { Grant, GrantAnswer, GrantRequest } from './grant.ts';
import type { ProviderAhead } from './providerAhead.ts';
import type { ProviderTurns } from './providerTurns.ts';
import { tokenAnswer } from './tokenAnswer.ts';

export interface RefreshGrantParts {
  readonly signIns: SignIns;
  readonly accessTokens: AccessTokens;
  readonly processes: Processes;
  readonly turns: ProviderTurns;
  readonly ahead: ProviderAhead;
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
    const { signIns, accessTokens, turns } = this.#parts;
    const { signIn, secret } = await this.#checked(form, client, jkt);
    const scope = this.#scopeOf(form, signIn);
    const turn = await turns.take(signIn, digest(secret)).catch(asRefused);
    if (turn === undefined) throw refused('refresh-token-in-use');
    const { running, tokens: provider } = turn;
    const { token, current } = newRefreshToken(signIn);
    const expiresAt = Date.now() + this.#parts.sessionMs();
    const unanswered: Turn = {
      state: 'unanswered',
      by: this.#parts.processes.own,
      since: Date.now(),
      from: digest(secret),
    };
    const next: SignIn = { ...running, provider, current, expiresAt, turn: unanswered };
    const body = await tokenAnswer(accessTokens, next, token, scope);
    if (!(await signIns.replace(running, next))) throw refused('sign-in-ended');
    accessTokens.forget(signIn.id);
    return { body, answered: () => void this.#answered(next) };
  }

  async #checked(form: Params, client: Client, jkt: string | undefined): Promise<Presented> {
    const { signIns, ahead, turns } = this.#parts;
    const token = form.need('refresh_token');
    await ahead.settled(token.split('.', 1)[0] ?? '');
    const presented = await signIns.presented(token);
    if (presented === undefined) throw refused('refresh-token-unknown');
    const { signIn } = presented;
    if (signIn.clientId !== client.id) throw await this.#theft(signIn, 'refresh-token-of-other-client');
    if (signIn.jkt !== undefined && signIn.jkt !== jkt) throw refused('refresh-token-of-other-key');
    await this.#refuseRotated(presented);
    // A refresh in advance at another process is not the client's fault.
    if (signIn.turn?.from === '' && (await turns.isTaken(signIn))) throw busy();
    return presented;
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

function busy(): OAuthError {
  return new OAuthError('temporarily_unavailable', 'the sign-in is being refreshed, please retry', {
    status: 503,
    headers: { 'retry-after': '1' },
    reason: 'sign-in-busy',
  });
}

/** One text for every token that cannot be used. */
function asRefused(error: unknown): never {
  throw error instanceof OAuthError && error.error === 'invalid_grant' ? refused(error.reason) : error;
}
