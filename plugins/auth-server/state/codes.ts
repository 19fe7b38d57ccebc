import type { Scope } from 'pegboard';
import { Vault } from '../../contracts/vault.ts';
import type { Attempt } from './attempts.ts';
import { digest, newSecret } from '../../kit/secrets/secrets.ts';
import type { Person, IssuedTokens } from './signIn.ts';

const KIND = 'oauth-code:';
/** Source: RFC 9700 §2.1.1 (at most ten minutes). */
const LIFETIME_S = 600;

/** What an authorization code gives. */
export interface CodeFacts {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scope: string;
  readonly challenge: string;
  readonly person: Person;
  readonly provider: IssuedTokens;
  /** Id of the sign-in that redeeming the code creates. */
  readonly signIn: string;
  readonly issuedAt: number;
  readonly use?: CodeUse;
}
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

  constructor(scope: Scope<unknown>) {
    this.#scope = scope;
  }

  async issue(facts: Omit<CodeFacts, 'signIn' | 'issuedAt'>): Promise<string> {
    const code = newSecret();
    await this.issueFor(digest(code), facts);
    return code;
  }

  /** @param codeDigest digest of a secret that the client has already */
  async issueFor(codeDigest: string, facts: Omit<CodeFacts, 'signIn' | 'issuedAt'>): Promise<void> {
    const record: CodeFacts = { ...facts, signIn: newSecret(128), issuedAt: Date.now() };
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
