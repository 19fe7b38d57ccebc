import { hash } from 'node:crypto';
import type { Log } from 'pegboard';
import { OAuthError } from '../../auth-server/contract.ts';
import type { ClientSource, OAuthClient } from '../../auth-server/contract.ts';
import type { BrokerClient } from '../config.ts';
import { JWT_BEARER, TOKEN_EXCHANGE } from '../shared/grantTypes.ts';
import { secretIn } from '../shared/secretIn.ts';

export interface BrokerClientsParts {
  readonly clients: Readonly<Record<string, BrokerClient>>;
  /** Base of relative paths. */
  readonly directory: () => string;
  readonly log: Log;
}

/** The clients in `brokerClients`: they have a secret and no redirect URI. Source: requirement broker.clients */
export class BrokerClients implements ClientSource {
  readonly #files: ReadonlyMap<string, string>;
  readonly #parts: BrokerClientsParts;
  /** Client id and why its secret could not be read. */
  readonly #faults = new Map<string, string>();

  constructor(parts: BrokerClientsParts) {
    this.#parts = parts;
    this.#files = new Map(
      Object.entries(parts.clients).flatMap(([id, { clientSecretFile }]) =>
        clientSecretFile === undefined ? [] : [[id, clientSecretFile]],
      ),
    );
  }

  find(id: string): OAuthClient | undefined {
    const file = this.#files.get(id);
    if (file === undefined) return undefined;
    const read = secretIn(file, this.#parts.directory());
    if ('fault' in read) {
      this.#warnOnce(id, read.fault);
      throw OAuthError.unavailable('the client cannot be checked now', 'client-secret-unreadable');
    }
    this.#faults.delete(id);
    return {
      id,
      redirectUris: [],
      authMethod: 'client_secret_basic',
      secretHash: hash('sha256', read.secret, 'base64url'),
      grantTypes: [TOKEN_EXCHANGE, JWT_BEARER],
      origin: 'configured',
    };
  }

  /** Anyone who knows the id may repeat the request. */
  #warnOnce(client: string, reason: string): void {
    if (this.#faults.get(client) === reason) return;
    this.#faults.set(client, reason);
    this.#parts.log.warn('the secret of a broker client cannot be read', { client, reason });
  }
}
