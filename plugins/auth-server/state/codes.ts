import type { Scope } from 'pegboard';
import { Vault } from '../../contracts/vault.ts';
import type { Attempt } from './attempts.ts';
import { digest, newSecret } from '../../kit/secrets/secrets.ts';
import type { Identity, TokenSetPlace } from './signIn.ts';
import { newSignInId } from './signIns.ts';
import type { TokenSets } from './tokenSets.ts';

const KIND = 'oauth-code:';
/** Source: RFC 9700 §2.1.1 (at most ten minutes). */
const LIFETIME_S = 600;

/** What an authorization code gives. */
export interface CodeFacts extends TokenSetPlace {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scope: string;
  readonly challenge: string;
  /** Id of the sign-in that redeeming the code creates. */
  readonly signIn: string;
  readonly issuedAt: number;
  readonly use?: CodeUse;
}
/** What a client has asked for. */
export type CodeRequest = Pick<CodeFacts, 'clientId' | 'redirectUri' | 'scope' | 'challenge'>;
/** `failed`: the client got no tokens because of a fault. */
export interface CodeUse {
  readonly state: 'running' | 'failed';
  readonly attempt: Attempt;
}
/** What remains of a code whose client has its tokens, or will get none. */
export interface SpentCode extends Pick<CodeFacts, 'clientId' | 'signIn' | 'issuedAt'> {
  readonly isSpent: true;
}

/** Authorization codes in the vault. A used one stays until it expires, so that a second use is recognised (RFC 6749 §4.1.2). */
export class Codes {
  readonly #scope: Scope<unknown>;
  readonly #tokenSets: TokenSets;

  constructor(scope: Scope<unknown>, tokenSets: TokenSets) {
    this.#scope = scope;
    this.#tokenSets = tokenSets;
  }

  async issue(request: CodeRequest, identity: Identity): Promise<string> {
    const code = newSecret();
    await this.issueFor(digest(code), request, identity);
    return code;
  }

  /** @param codeDigest digest of a secret that the client has already */
  async issueFor(codeDigest: string, request: CodeRequest, identity: Identity): Promise<void> {
    const [signIn, issuedAt] = [newSignInId(identity.person), Date.now()];
    const place = await this.#tokenSets.put(identity, { signIn, until: issuedAt + LIFETIME_S * 1_000 });
    const record: CodeFacts = { ...request, ...place, signIn, issuedAt };
    await this.#vault.set(KIND + codeDigest, record, LIFETIME_S);
  }

  async find(code: string): Promise<CodeFacts | SpentCode | undefined> {
    return (await this.#vault.get(KIND + digest(code))) as CodeFacts | SpentCode | undefined;
  }

  /** @param before as find() returned it @returns false if it has changed since */
  replace(code: string, before: CodeFacts, after: CodeFacts | SpentCode): Promise<boolean> {
    const seconds = LIFETIME_S - (Date.now() - before.issuedAt) / 1_000;
    return this.#vault.compareAndSwap(KIND + digest(code), before, after, seconds);
  }

  get #vault(): Vault {
    return this.#scope.get(Vault);
  }
}
