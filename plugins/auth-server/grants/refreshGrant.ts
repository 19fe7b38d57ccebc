import { setTimeout } from 'node:timers/promises';
import type { Grant, GrantAnswer, GrantRequest, OAuthClient, TokenForm } from '../../contracts/oauth.ts';
import { OAuthError } from '../../kit/oauth/oauthError.ts';
import { digest, isSame } from '../../kit/secrets/secrets.ts';
import type { Attempt, Attempts } from '../state/attempts.ts';
import type { Kept, Rotated, SignIn, TokenChange } from '../state/signIn.ts';
import type { TokenSet } from '../state/tokenSets.ts';
import { newRefreshToken } from '../state/signIns.ts';
import type { Presented } from '../state/signIns.ts';
import { refuseOtherResource } from '../web/refuseOtherResource.ts';
import { IN_USE, busy } from './busy.ts';
import { OTHER_RESOURCE } from './issuing.ts';
import type { Issuing } from './issuing.ts';
import { tokenAnswer } from './tokenAnswer.ts';
import type { TokenSetRefresh } from './tokenSetRefresh.ts';

/** Two processes of a client, two of its addresses, and repeated requests use one token twice within this time. */
const SECOND_USE_MS = 60_000;
/** More clients than that do not share one sign-in. */
const MAX_KEPT = 4;
/** Access tokens for one that is kept, two days of them: after that its holder and that of the current one are not told apart from a thief and an owner. */
const MAX_USES = 100;
/** Longest wait for other requests, of this and of other processes. */
const MAX_WAIT_MS = 10_000;
const POLL_MS = 100;

/** What a refresh changes. */
type Rotation = Required<Pick<SignIn, 'current' | 'usedAt' | 'address' | 'expiresAt' | 'rotated'>> & {
  readonly turn: TokenChange;
};
type Rotating = SignIn & Rotation;

/** `grant_type=refresh_token`. Each refresh token is used once; the use of a rotated one ends the sign-in, unless it was rotated last and
 *  within a minute: then it gets an access token alone, and the client, which keeps it, may rotate it later. The provider is asked first, so that a fault there leaves the token as it is. The record says which request changed it last: if its answer cannot have reached the
 *  client, the client may send the same token again. Source: RFC 9700 §4.14 */
export class RefreshGrant implements Grant {
  readonly type = 'refresh_token';
  readonly #issuing: Issuing;
  readonly #refresh: TokenSetRefresh;

  constructor(issuing: Issuing, refresh: TokenSetRefresh) {
    this.#issuing = issuing;
    this.#refresh = refresh;
  }

  /** Waits for a request with the same token that is being served: clients that are told to repeat theirs may give up instead. */
  async redeem(request: GrantRequest): Promise<GrantAnswer> {
    const since = Date.now();
    let proved: ReturnType<GrantRequest['jkt']> | undefined;
    const repeatable = { ...request, jkt: () => (proved ??= request.jkt()) };
    for (let hasWaited = false; ; hasWaited = true) {
      try {
        return await this.#redeem(repeatable, since, hasWaited);
      } catch (error) {
        const isInUse = error instanceof OAuthError && error.reason === IN_USE;
        if (!isInUse || Date.now() >= since + MAX_WAIT_MS) throw error;
      }
      await setTimeout(POLL_MS);
    }
  }

  async #redeem(
    { form, client, jkt, address }: GrantRequest,
    since: number,
    hasWaited: boolean,
  ): Promise<GrantAnswer> {
    const presented = await this.#checked(form, client, jkt);
    const { signIn, secret, generation } = presented;
    const from = digest(secret);
    const scope = this.#scopeOf(form, signIn);
    if (await this.#isSecondUse(presented, from, hasWaited)) return this.#accessAlone(signIn, from, scope);
    if (generation === 'current') await this.#heard(signIn);
    const isFresh = ({ issuedAt }: TokenSet): boolean => issuedAt > since;
    const { person, tokens } = await this.#refresh
      .refreshed(signIn.tokenSet, isFresh, since + MAX_WAIT_MS - Date.now())
      .catch(asRefused);
    const attempt = this.#issuing.attempts.begin();
    try {
      const refreshed = { ...signIn, person, provider: tokens };
      return await this.#rotated(refreshed, from, attempt, scope, address);
    } catch (error) {
      this.#issuing.attempts.forget(attempt);
      throw error;
    }
  }

  /** A client that presents the current token has received the answer to the former one, which no client may repeat from now on. */
  async #heard(signIn: SignIn): Promise<void> {
    if (signIn.turn !== undefined)
      await this.#issuing.signIns.replace(signIn, { ...signIn, turn: undefined });
  }

  async #rotated(
    signIn: SignIn,
    from: string,
    attempt: Attempt,
    scope: string,
    address: string,
  ): Promise<GrantAnswer> {
    const { accessTokens, sessionMs } = this.#issuing;
    const { token, current } = newRefreshToken(signIn);
    const now = Date.now();
    const change: Rotation = {
      current,
      usedAt: now,
      address,
      expiresAt: now + sessionMs(),
      turn: { state: 'unanswered', attempt, from },
      rotated: {
        secret: from,
        at: now,
        ...replacedBy(from, signIn),
      },
    };
    const body = await tokenAnswer(accessTokens, { ...signIn, ...change }, token, scope);
    const next = await this.#changed(signIn, change);
    accessTokens.forget(signIn.id);
    return { body, ended: (isAnswered) => this.#close(next, isAnswered) };
  }

  /** Tries until it is done: the answer before may be closed meanwhile. @throws OAuthError if another request has been faster */
  async #changed(signIn: SignIn, change: Rotation): Promise<Rotating> {
    const next = await this.#issuing.signIns.change(signIn, (found) => {
      if (found.current !== signIn.current) throw busy(IN_USE);
      return { ...found, ...change, kept: found.kept?.filter(({ secret }) => secret !== change.turn.from) };
    });
    if (next === undefined) throw refused('sign-in-ended');
    return next;
  }

  async #checked(form: TokenForm, client: OAuthClient, jkt: GrantRequest['jkt']): Promise<Presented> {
    const token = form.need('refresh_token');
    const presented = await this.#issuing.signIns.presented(token);
    if (presented === undefined) throw refused('refresh-token-unknown');
    const { signIn } = presented;
    if (signIn.clientId !== client.id) throw await this.#theft(signIn, 'refresh-token-of-other-client');
    // Only beside a token that is known: proofs of strangers would fill the vault.
    const proved = await jkt();
    if (signIn.jkt !== undefined && signIn.jkt !== proved) throw refused('refresh-token-of-other-key');
    return presented;
  }

  /** A rotated token is only as good as the current one if no answer with its successor can have reached the client, or if the client keeps it.
   *  @param from digest of the secret @param hasWaited whether it was good, and in use, when it was sent
   *  @returns whether it was good within the last minute @throws OAuthError if it was rotated before */
  async #isSecondUse({ signIn, generation }: Presented, from: string, hasWaited: boolean): Promise<boolean> {
    if (generation === 'current') return false;
    const { turn, rotated, kept = [] } = signIn;
    const isLast = turn !== undefined && isSame(turn.from, from);
    const state = isLast ? await this.#stateOf(turn) : 'answered';
    if (state === 'failed') return false;
    if (state !== 'answered') throw busy(IN_USE);
    const isKept = kept.some((one) => isSame(one.secret, from) && this.#isGood(one));
    if (rotated !== undefined && rotated.at + SECOND_USE_MS > Date.now()) {
      const { secret, replaced = secret } = rotated;
      if (isKept || isSame(secret, from) || isSame(replaced, from)) return true;
    }
    if (isKept) return false;
    if (hasWaited) throw refused('refresh-token-rotated');
    throw await this.#theft(signIn, 'refresh-token-reused');
  }

  /** What became of the answer to the last refresh. */
  async #stateOf({ state, attempt }: TokenChange): ReturnType<Attempts['stateOf']> {
    return state === 'lost' ? 'failed' : this.#issuing.attempts.stateOf(attempt);
  }

  /** Whether a token that is kept is as good as the current one. */
  #isGood({ at, uses }: Kept): boolean {
    return uses < MAX_USES && at + this.#issuing.sessionMs() > Date.now();
  }

  /** The holder of the current refresh token continues. The client keeps the one that it has sent, as RFC 6749 §6 has it. If it sends that later than a
   *  minute after the other, one of the two ends the sign-in with its next token; within the minute, after MAX_USES. */
  async #accessAlone(signIn: SignIn, from: string, scope: string): Promise<GrantAnswer> {
    const { accessTokens, signIns, log } = this.#issuing;
    log.warn(
      'a refresh token was used again within a minute: it gets an access token, and no refresh token',
      {
        signIn: signIn.id,
        client: signIn.clientId,
      },
    );
    const keep = (found: SignIn): SignIn => {
      const { kept = [] } = found;
      const uses = (kept.find(({ secret }) => secret === from)?.uses ?? 0) + 1;
      const others = kept.filter(({ secret }) => secret !== from);
      return { ...found, kept: [...others, { secret: from, at: Date.now(), uses }].slice(-MAX_KEPT) };
    };
    if ((await signIns.change(signIn, keep)) === undefined) throw refused('sign-in-ended');
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
  async #close(next: Rotating, isAnswered: boolean): Promise<void> {
    const { attempts, signIns, log } = this.#issuing;
    const { attempt } = next.turn;
    if (isAnswered) attempts.answered(attempt);
    else attempts.forget(attempt);
    const turn: TokenChange | undefined = isAnswered ? undefined : { ...next.turn, state: 'lost' };
    try {
      await signIns.change(next, (found) => (isOf(found, attempt) ? { ...found, turn } : found));
      attempts.forget(attempt);
    } catch (error) {
      log.debug('refresh not closed', { error });
    }
  }
}

/** The current token, if one that was kept is rotated in its place; also when that is repeated, because its answer was lost. */
function replacedBy(from: string, { kept = [], current, rotated }: SignIn): Pick<Rotated, 'replaced'> {
  if (kept.some(({ secret }) => secret === from)) return { replaced: current };
  return rotated?.secret === from && rotated.replaced !== undefined ? { replaced: rotated.replaced } : {};
}

/** If it is not, the client has used what it got. */
function isOf({ turn }: SignIn, { process, number }: Attempt): boolean {
  return turn?.attempt.process === process && turn.attempt.number === number;
}

function refused(reason: string): OAuthError {
  return new OAuthError('invalid_grant', 'Refresh token is invalid or expired', { reason });
}

/** One text for every token that cannot be used. */
function asRefused(error: unknown): never {
  throw error instanceof OAuthError && error.error === 'invalid_grant' ? refused(error.reason) : error;
}
