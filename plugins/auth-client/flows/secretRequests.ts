import type { Vault } from '../../contracts/vault.ts';
import { FLOW_SECONDS } from './flowStore.ts';
import { digest, newSecret } from '../../kit/secrets/secrets.ts';
import type { LinkAsker } from './flowStore.ts';

const KIND = 'server-secrets-asked:';

/** Secrets of a person that a server needs: what a link leads to. */
export interface SecretRequest {
  readonly server: string;
  /** URL of the server, as its definition had it; empty for stdio. */
  readonly url: string;
  /** The owner of the secrets. */
  readonly owner: string;
  readonly asker: LinkAsker;
  /** NAMEs of the references. */
  readonly names: readonly string[];
  /** What they are, by NAME. A process of an older version leaves it out. */
  readonly words?: Readonly<Record<string, string>> | undefined;
}

/** Links to enter secrets, in the vault for ten minutes. */
export class SecretRequests {
  readonly #vault: () => Vault;

  constructor(vault: () => Vault) {
    this.#vault = vault;
  }

  /** @returns the handle for the link @throws GatewayError STORE_UNREACHABLE, as all others */
  async open(asked: SecretRequest): Promise<string> {
    const handle = newSecret();
    await this.reopen(handle, asked);
    return handle;
  }

  /** The link can be used once more: what was entered is refused. */
  async reopen(handle: string, asked: SecretRequest): Promise<void> {
    await this.#vault().set(KIND + digest(handle), asked, FLOW_SECONDS);
  }

  /** @returns undefined if it is unknown, answered or expired */
  async find(handle: string): Promise<SecretRequest | undefined> {
    return (await this.#vault().get(KIND + digest(handle))) as SecretRequest | undefined;
  }

  /** Each is answered once. */
  async take(handle: string): Promise<SecretRequest | undefined> {
    return (await this.#vault().take(KIND + digest(handle))) as SecretRequest | undefined;
  }
}
