import type { Scope } from 'pegboard';
import { Vault } from '../../contracts/vault.ts';
import { digest } from '../../kit/secrets/secrets.ts';

const KIND = 'oauth-flow:';
const LIFETIME_S = 600;

/** A person's way to the identity provider and back. */
interface ProviderFlow {
  /** OIDC hints for the provider: prompt, login_hint, … */
  readonly hints: Readonly<Record<string, string>>;
  /** The code verifier of our own request to the provider. */
  readonly verifier: string;
  readonly nonce: string;
  /** Digest of the browser's cookie. */
  readonly browser: string;
  /** Time in ms since 1970. */
  readonly begunAt: number;
}

/** A sign-in for no client: only to know who is at a browser. It is always bound to that browser. */
export interface BrowserFlow extends ProviderFlow {
  /** The path of this gateway at which it ends. */
  readonly returnTo: string;
}

/** An authorization under way, from the client's request to the provider's answer. */
export interface Flow extends ProviderFlow {
  readonly clientId: string;
  readonly redirectUri: string;
  /** The client's. */
  readonly state: string;
  readonly scope: string;
  readonly challenge: string;
  /** Whether only that browser may continue. */
  readonly isBound: boolean;
}

/** Flows in the vault, each by the digest of a secret that only its browser knows. */
export class Flows {
  readonly #scope: Scope<unknown>;

  constructor(scope: Scope<unknown>) {
    this.#scope = scope;
  }

  async put(secret: string, flow: Flow | BrowserFlow): Promise<void> {
    const seconds = Math.ceil((flow.begunAt - Date.now()) / 1_000) + LIFETIME_S;
    await this.#scope.get(Vault).set(KIND + digest(secret), flow, seconds);
  }

  /** Each flow continues once. @returns undefined if it is unknown, used or expired */
  async take(secret: string): Promise<Flow | BrowserFlow | undefined> {
    return (await this.#scope.get(Vault).take(KIND + digest(secret))) as Flow | BrowserFlow | undefined;
  }
}
