import type { Grant, GrantAnswer, GrantRequest, OAuthClient, TokenForm } from '../../contracts/oauth.ts';
import { OAuthError } from '../../kit/oauth/oauthError.ts';
import { digest, isSame } from '../../kit/secrets/secrets.ts';
import type { SignIn } from '../state/signIn.ts';
import { newRefreshToken } from '../state/signIns.ts';
import type { Presented } from '../state/signIns.ts';
import { refuseOtherResource } from '../web/refuseOtherResource.ts';
import { IN_USE, busy } from './busy.ts';
import { OTHER_RESOURCE, isOther } from './issuing.ts';
import type { Issuing } from './issuing.ts';
import type { ProviderAhead } from './providerAhead.ts';
import type { ProviderTurn, ProviderTurns, Taken } from './providerTurns.ts';
import { tokenAnswer } from './tokenAnswer.ts';

/** Two processes of a client, two of its addresses, and repeated requests use one token twice within this time. */
const SECOND_USE_MS = 60_000;

/** `grant_type=refresh_token`. Each refresh token is used once; the use of a rotated one ends the sign-in, unless it was rotated last and
 *  within a minute: then it gets an access token alone. The provider is asked first, so that a fault there leaves the token as it is. The record says which request changed it last: if its answer cannot have reached the
 *  client, the client may send the same token again. Source: RFC 9700 §4.14 */
export class RefreshGrant implements Grant {
  readonly type = 'refresh_token';
  readonly #issuing: Issuing;
  readonly #turns: ProviderTurns;
  readonly #ahead: ProviderAhead;

  constructor(issuing: Issuing, turns: ProviderTurns, ahead: ProviderAhead) {
    this.#issuing = issuing;
    this.#turns = turns;
    this.#ahead = ahead;
  }

  async redeem({ form, client, jkt, address }: GrantRequest): Promise<GrantAnswer> {
    const { signIn, secret, generation } = await this.#checked(form, client, jkt);
    const scope = this.#scopeOf(form, signIn);
    if (await this.#isSecondUse(signIn, secret, generation)) return this.#accessAlone(signIn, scope);
    // A client that presents the current token has received the answer to the former one.
    const before = generation === 'current' ? { ...signIn, turn: undefined } : signIn;
    const turn = await this.#turns.take(signIn, digest(secret), before).catch(asRefused);
    try {
      return await this.#rotated(signIn, turn, scope, address);
    } catch (error) {
      this.#issuing.attempts.forget(turn.running.turn.attempt);
      throw error;
    }
  }

  async #rotated(
    signIn: SignIn,
    { running, identity }: ProviderTurn,
    scope: string,
    address: string,
  ): Promise<GrantAnswer> {
    const { signIns, accessTokens, sessionMs } = this.#issuing;
    const { token, current } = newRefreshToken(signIn);
    const expiresAt = Date.now() + sessionMs();
    const next: Taken = {
      ...running,
      ...identity,
      current,
      usedAt: Date.now(),
      address,
      expiresAt,
      turn: { ...running.turn, state: 'unanswered' },
      rotated: { secret: running.turn.from, at: Date.now() },
    };
    const body = await tokenAnswer(accessTokens, next, token, scope);
    if (!(await signIns.replace(running, next))) throw refused('sign-in-ended');
    this.#turns.stored(signIn.provider);
    accessTokens.forget(signIn.id);
    if (isOther(signIn, next)) this.#issuing.changed(next);
    return { body, ended: (isAnswered) => this.#close(next, isAnswered) };
  }

  async #checked(form: TokenForm, client: OAuthClient, jkt: GrantRequest['jkt']): Promise<Presented> {
    const token = form.need('refresh_token');
    await this.#ahead.settled(token.split('.', 1)[0] ?? '');
    const presented = await this.#issuing.signIns.presented(token);
    if (presented === undefined) throw refused('refresh-token-unknown');
    const { signIn } = presented;
    if (signIn.clientId !== client.id) throw await this.#theft(signIn, 'refresh-token-of-other-client');
    // Only beside a token that is known: proofs of strangers would fill the vault.
    const proved = await jkt();
    if (signIn.jkt !== undefined && signIn.jkt !== proved) throw refused('refresh-token-of-other-key');
    return presented;
  }

  /** A rotated token is only as good as the current one if no answer with its successor can have reached the client.
   *  @returns whether it was rotated last, and within a minute @throws OAuthError if it was rotated before */
  async #isSecondUse(signIn: SignIn, secret: string, generation: Presented['generation']): Promise<boolean> {
    if (generation === 'current') return false;
    const { turn, rotated } = signIn;
    const isLast = turn !== undefined && isSame(turn.from, digest(secret));
    const state = isLast ? await this.#turns.stateOf(turn) : 'answered';
    if (state === 'failed') return false;
    if (state !== 'answered') throw busy(IN_USE);
    const isRecent = rotated !== undefined && rotated.at + SECOND_USE_MS > Date.now();
    if (isRecent && isSame(rotated.secret, digest(secret))) return true;
    throw await this.#theft(signIn, 'refresh-token-reused');
  }

  /** The holder of the current refresh token continues; a thief of the former one has nothing that lasts. */
  async #accessAlone(signIn: SignIn, scope: string): Promise<GrantAnswer> {
    const { accessTokens, log } = this.#issuing;
    log.warn(
      'a refresh token was used again within a minute: it gets an access token, and no refresh token',
      {
        signIn: signIn.id,
        client: signIn.clientId,
      },
    );
    return { body: await tokenAnswer(accessTokens, signIn, undefined, scope) };
  }

  async #theft(signIn: SignIn, reason: string): Promise<OAuthError> {
    await this.#issuing.signIns.end(signIn.id, reason);
    this.#issuing.log.warn('a refresh token was misused: its sign-in has ended', {
      signIn: signIn.id,
      client: signIn.clientId,
      reason,
    });
    return refused(reason);
  }

  #scopeOf(form: TokenForm, signIn: SignIn): string {
    const asked = form.get('scope');
    const granted = signIn.scope.split(' ');
    if (asked !== undefined && !asked.split(' ').every((scope) => granted.includes(scope)))
      throw new OAuthError('invalid_scope', 'scope is wider than what was granted', {
        reason: 'scope-wider',
      });
    refuseOtherResource(form, this.#issuing.addresses, OTHER_RESOURCE);
    return asked ?? signIn.scope;
  }

  /** If the vault cannot be reached, this process still knows. */
  async #close(next: Taken, isAnswered: boolean): Promise<void> {
    const { attempts, log } = this.#issuing;
    const { attempt } = next.turn;
    if (isAnswered) attempts.answered(attempt);
    else attempts.forget(attempt);
    try {
      await this.#mark(next, isAnswered);
      attempts.forget(attempt);
    } catch (error) {
      log.debug('refresh not closed', { error });
    }
  }

  /** Tries until the record no longer says that the answer may be lost: a refresh in advance may change it meanwhile. */
  async #mark(next: Taken, isAnswered: boolean): Promise<void> {
    const { signIns } = this.#issuing;
    const { attempt } = next.turn;
    let found: SignIn | undefined = next;
    while (found?.turn?.attempt.number === attempt.number && found.turn.attempt.process === attempt.process) {
      const turn = isAnswered ? undefined : { ...next.turn, state: 'lost' as const };
      if (await signIns.replace(found, { ...found, turn })) return;
      found = await signIns.find(next.id);
    }
  }
}

function refused(reason: string): OAuthError {
  return new OAuthError('invalid_grant', 'Refresh token is invalid or expired', { reason });
}

/** One text for every token that cannot be used. */
function asRefused(error: unknown): never {
  throw error instanceof OAuthError && error.error === 'invalid_grant' ? refused(error.reason) : error;
}
