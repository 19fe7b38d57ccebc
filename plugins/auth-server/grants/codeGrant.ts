import type { JsonObject } from 'pegboard';
import type { Attempt } from '../state/attempts.ts';
import type { CodeFacts, CodeUse, Codes, SpentCode } from '../state/codes.ts';
import { digest, isSame, newSecret } from '../../kit/secrets/secrets.ts';
import type { SignIn } from '../state/signIn.ts';
import { newRefreshToken } from '../state/signIns.ts';
import { OAuthError } from '../../kit/oauth/oauthError.ts';
import type { Grant, GrantAnswer, GrantRequest } from '../../contracts/oauth.ts';
import { refuseOtherResource } from '../web/refuseOtherResource.ts';
import { busy } from './busy.ts';
import { OTHER_RESOURCE } from './issuing.ts';
import type { Issuing } from './issuing.ts';
import { tokenAnswer } from './tokenAnswer.ts';

interface UsedCode extends CodeFacts {
  readonly use: CodeUse;
}

/** `grant_type=authorization_code`. A code is used once, whatever comes of it, unless a fault has cut off its answer: a second use
 *  ends the sign-in that the first one began. Source: RFC 6749 §4.1.2, RFC 7636 §4.6, RFC 9700 §2.1.1 */
export class CodeGrant implements Grant {
  readonly type = 'authorization_code';
  readonly #issuing: Issuing;
  readonly #codes: Codes;
  readonly #begun: (signIn: SignIn) => void;

  /** @param begun called with each new sign-in */
  constructor(issuing: Issuing, codes: Codes, begun: (signIn: SignIn) => void) {
    this.#issuing = issuing;
    this.#codes = codes;
    this.#begun = begun;
  }

  async redeem(request: GrantRequest): Promise<GrantAnswer> {
    const code = request.form.need('code');
    const found = await this.#codes.find(code);
    if (found === undefined) throw refused('code-unknown');
    // Before the code is used, which a bad proof must not do; not for an invented or spent code, whose proofs would fill the vault.
    const jkt = 'isSpent' in found ? undefined : await request.jkt();
    const { attempts } = this.#issuing;
    const attempt = attempts.begin();
    let used: UsedCode | undefined;
    try {
      const mine = (used = await this.#use(code, attempt));
      this.#check(mine, request);
      const body = await this.#signIn(code, mine, jkt, request);
      return { body, ended: (isAnswered) => this.#close(code, mine, isAnswered) };
    } catch (error) {
      if (used === undefined) attempts.forget(attempt);
      else await this.#close(code, used, error instanceof OAuthError);
      throw error;
    }
  }

  /** Marks it as used, in one step for all processes. @throws OAuthError invalid_grant if it was used before */
  async #use(code: string, attempt: Attempt): Promise<UsedCode> {
    const { attempts, signIns } = this.#issuing;
    const found = await this.#codes.find(code);
    if (found === undefined) throw refused('code-unknown');
    if (!('isSpent' in found)) {
      const { use } = found;
      const former = use?.state === 'running' ? await attempts.stateOf(use.attempt) : 'failed';
      if (former === 'unclear') throw busy('code-in-use');
      const used: UsedCode = { ...found, use: { state: 'running', attempt } };
      if (former === 'failed' && (await this.#codes.replace(code, found, used))) return used;
    }
    await signIns.end(found.signIn, 'code-reused');
    this.#issuing.log.warn('an authorization code was used twice: its sign-in has ended', {
      signIn: found.signIn,
      client: found.clientId,
    });
    throw refused('code-reused');
  }

  #check(code: CodeFacts, { form, client }: GrantRequest): void {
    if (code.clientId !== client.id) throw refused('code-of-other-client');
    if (form.get('redirect_uri') !== code.redirectUri) throw refused('redirect-uri-differs');
    const verifier = form.get('code_verifier') ?? '';
    const challenge = digest(verifier);
    if (!/^[A-Za-z0-9._~-]{43,128}$/.test(verifier) || !isSame(challenge, code.challenge))
      throw refused('wrong-code-verifier');
    refuseOtherResource(form, this.#issuing.addresses, OTHER_RESOURCE);
  }

  async #signIn(
    code: string,
    used: UsedCode,
    jkt: string | undefined,
    { client, address }: GrantRequest,
  ): Promise<JsonObject> {
    const { accessTokens, signIns, tokenSets, sessionMs, log } = this.#issuing;
    const now = Date.now();
    const set = await tokenSets.find(used.tokenSet);
    if (set === undefined) throw refused('token-set-unknown');
    const draft = { id: used.signIn, tagKey: newSecret() };
    const { token, current } = newRefreshToken(draft);
    const { clientId, scope, tokenSet, providerSession } = used;
    const { attempt } = used.use;
    const signIn: SignIn = {
      ...draft,
      clientId,
      ...(client.name !== undefined && { clientName: client.name }),
      person: set.person,
      scope,
      provider: set.tokens,
      tokenSet,
      ...(providerSession !== undefined && { providerSession }),
      address,
      current,
      ...(jkt !== undefined && { jkt }),
      signedInAt: now,
      expiresAt: now + sessionMs(),
      turn: { state: 'unanswered', attempt, from: digest(code) },
    };
    const body = await tokenAnswer(accessTokens, signIn, token, scope);
    if (!(await this.#begin(signIn))) {
      await signIns.end(signIn.id, 'code-reused');
      throw refused('code-reused');
    }
    // After the sign-in: a sign-out of the last other one finds either.
    if ((await tokenSets.extend(tokenSet, signIn)) === undefined) throw refused('token-set-unknown');
    log.info('signed in', { signIn: signIn.id, client: clientId });
    this.#begun(signIn);
    return body;
  }

  /** @returns false if the code was used before, or is used again meanwhile */
  async #begin(signIn: SignIn): Promise<boolean> {
    const { signIns, attempts } = this.#issuing;
    if (await signIns.create(signIn)) return true;
    // Left by an attempt that failed, if its tokens have not been used since.
    const left = await signIns.find(signIn.id);
    if (left?.turn === undefined || left.turn.from !== signIn.turn?.from) return false;
    return (await attempts.stateOf(left.turn.attempt)) === 'failed' && signIns.replace(left, signIn);
  }

  /** If the vault cannot be reached, this process still knows. @param isOver the client has its tokens, or will get none */
  async #close(code: string, used: UsedCode, isOver: boolean): Promise<void> {
    const { attempts, log } = this.#issuing;
    const { clientId, issuedAt, use } = used;
    const { attempt } = use;
    if (isOver) attempts.answered(attempt);
    else attempts.forget(attempt);
    const spent: SpentCode = { clientId, signIn: used.signIn, issuedAt, isSpent: true };
    try {
      await this.#codes.replace(code, used, isOver ? spent : { ...used, use: { state: 'failed', attempt } });
      attempts.forget(attempt);
    } catch (error) {
      log.debug('code not closed', { error });
    }
  }
}

function refused(reason: string): OAuthError {
  return new OAuthError('invalid_grant', 'Authorization code is invalid or expired', { reason });
}
