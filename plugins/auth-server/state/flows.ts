import type { Scope } from 'pegboard';
import { Vault } from '../../vault-file/contract.ts';
import { digest } from './secrets.ts';

const KIND = 'oauth-flow:';
const LIFETIME_S = 600;

/** An authorization under way, from the client's request to the provider's answer. */
export interface Flow {
  readonly clientId: string;
  readonly redirectUri: string;
  /** The client's. */
  readonly state: string;
  readonly scope: string;
  readonly challenge: string;
  /** OIDC hints for the provider: prompt, login_hint, … */
  readonly hints: Readonly<Record<string, string>>;
  /** Of our own request to the provider. */
  readonly verifier: string;
  readonly nonce: string;
  /** Digest of the browser's cookie. */
  readonly browser: string;
  /** Whether only that browser may continue. */
  readonly isBound: boolean;
  /** When the client asked, in ms since 1970. */
  readonly begunAt: number;
}

/** Flows in the vault, each by the digest of a secret that only its browser knows. */
export class Flows {
  readonly #scope: Scope<unknown>;

  constructor(scope: Scope<unknown>) {
    this.#scope = scope;
  }

  async put(secret: string, flow: Flow): Promise<void> {
    const seconds = Math.ceil((flow.begunAt - Date.now()) / 1_000) + LIFETIME_S;
    await this.#scope.get(Vault).set(KIND + digest(secret), flow, seconds);
  }

  /** Each flow continues once. @returns undefined if it is unknown, used or expired */
  async take(secret: string): Promise<Flow | undefined> {
    return (await this.#scope.get(Vault).take(KIND + digest(secret))) as Flow | undefined;
  }
}
