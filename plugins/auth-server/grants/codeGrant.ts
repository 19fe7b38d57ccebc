import { createHash } from 'node:crypto';
import type { Log } from 'pegboard';
import type { AccessTokens } from '../state/accessTokens.ts';
import type { CodeFacts, Codes } from '../state/codes.ts';
import type { Processes } from '../state/processes.ts';
import { isSame, newSecret } from '../state/secrets.ts';
import type { SignIn } from '../state/signIn.ts';
import { newRefreshToken } from '../state/signIns.ts';
import type { SignIns } from '../state/signIns.ts';
import type { Addresses } from '../web/addresses.ts';
import { OAuthError } from '../web/oauthError.ts';
import type { Grant, GrantAnswer, GrantRequest } from './grant.ts';
import { tokenAnswer } from './tokenAnswer.ts';

export interface CodeGrantParts {
  readonly codes: Codes;
  readonly signIns: SignIns;
  readonly accessTokens: AccessTokens;
  readonly processes: Processes;
  readonly addresses: Addresses;
  readonly sessionMs: () => number;
  readonly log: Log;
}

/** `grant_type=authorization_code`. A code is used once, whatever comes of it: a second use ends the sign-in that the first one began.
 *  Source: RFC 6749 §4.1.2, RFC 7636 §4.6, RFC 9700 §2.1.1 */
export class CodeGrant implements Grant {
  readonly type = 'authorization_code';
  readonly #parts: CodeGrantParts;

  constructor(parts: CodeGrantParts) {
    this.#parts = parts;
  }

  async redeem(request: GrantRequest): Promise<GrantAnswer> {
    const code = request.form.need('code');
    const used = await this.#use(code);
    try {
      this.#check(used, request);
    } catch (error) {
      await this.#over(code, used);
      throw error;
    }
    const now = Date.now();
    const draft = { id: used.signIn, tagKey: newSecret() };
    const { token, current } = newRefreshToken(draft);
    const { clientId, person, scope, provider } = used;
    const signIn: SignIn = {
      ...draft,
      ...{ clientId, person, scope, provider, current },
      ...(request.jkt !== undefined && { jkt: request.jkt }),
      signedInAt: now,
      expiresAt: now + this.#parts.sessionMs(),
    };
    if (!(await this.#begin(signIn))) throw refused('code-reused');
    const body = await tokenAnswer(this.#parts.accessTokens, signIn, token, scope);
    this.#parts.log.info('signed in', { signIn: signIn.id, client: clientId });
    return { body, answered: () => void this.#over(code, used) };
  }

  /** Marks it as used, in one step for all processes. @throws OAuthError invalid_grant if it was used before */
  async #use(code: string): Promise<CodeFacts> {
    const { codes, processes, signIns } = this.#parts;
    const found = await codes.find(code);
    if (found === undefined) throw refused('code-unknown');
    const { use } = found;
    const isAbandoned = use?.state === 'running' && !(await processes.isAlive(use.by));
    if (use === undefined || isAbandoned) {
      const used: CodeFacts = { ...found, use: { state: 'running', by: processes.own } };
      if (await codes.replace(code, found, used)) return used;
    }
    await signIns.end(found.signIn, 'code-reused');
    this.#parts.log.warn('an authorization code was used twice: its sign-in has ended', {
      signIn: found.signIn,
      client: found.clientId,
    });
    throw refused('code-reused');
  }

  #check(code: CodeFacts, { form, client }: GrantRequest): void {
    if (code.clientId !== client.id) throw refused('code-of-other-client');
    if (form.get('redirect_uri') !== code.redirectUri) throw refused('redirect-uri-differs');
    const verifier = form.get('code_verifier') ?? '';
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    if (!/^[A-Za-z0-9._~-]{43,128}$/.test(verifier) || !isSame(challenge, code.challenge))
      throw refused('wrong-code-verifier');
    const { addresses } = this.#parts;
    if (form.all('resource').some((resource) => !addresses.isOwn(resource)))
      throw new OAuthError('invalid_target', 'resource is not the one that the authorization was for', {
        reason: 'resource-not-ours',
      });
  }

  /** @returns false if the sign-in has ended already, because the code was used again meanwhile */
  async #begin(signIn: SignIn): Promise<boolean> {
    const { signIns } = this.#parts;
    if (await signIns.create(signIn)) return true;
    // A process that ended before it answered has left one.
    const left = await signIns.find(signIn.id);
    return left !== undefined && (await signIns.replace(left, signIn));
  }

  /** What is left open by a fault of the store counts as used as long as this process lives. */
  async #over(code: string, used: CodeFacts): Promise<void> {
    const { codes, processes, log } = this.#parts;
    const over: CodeFacts = { ...used, use: { state: 'over', by: processes.own } };
    await codes.replace(code, used, over).catch((error: unknown) => log.debug('code not closed', { error }));
  }
}

function refused(reason: string): OAuthError {
  return new OAuthError('invalid_grant', 'Authorization code is invalid or expired', { reason });
}
