import type { Scope } from 'pegboard';
import { Vault } from '../../vault-file/contract.ts';
import { OAuthError } from '../web/oauthError.ts';
import type { Client } from './client.ts';

/** The clients that this gateway knows. */
export class Clients {
  readonly #scope: Scope<unknown>;

  constructor(scope: Scope<unknown>) {
    this.#scope = scope;
  }

  /** @throws OAuthError invalid_client */
  async find(id: string): Promise<Client> {
    const found = (await this.#scope.get(Vault).get(`oauth-client:${id.slice(0, 400)}`)) as
      Client | undefined;
    if (found !== undefined) return found;
    throw new OAuthError('invalid_client', 'the client is not known here; register it again', {
      reason: 'unknown-client',
    });
  }
}
