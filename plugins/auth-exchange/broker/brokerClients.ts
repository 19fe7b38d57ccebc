import type { Log } from 'pegboard';
import { digest } from '../../kit/secrets/secrets.ts';
import { OAuthError } from '../../kit/oauth/oauthError.ts';
import type { ClientSource, OAuthClient } from '../../contracts/oauth.ts';
import { JWT_BEARER, TOKEN_EXCHANGE } from '../../kit/oauth/grantTypes.ts';
import { readSecretKeys } from '../../kit/oauth/readClient.ts';
import type { ClientParts } from '../../kit/oauth/exchangeTarget.ts';
import { secretIn } from '../../kit/oauth/secretIn.ts';
import type { ReadSecret } from '../../kit/oauth/secretIn.ts';
import type { BrokerClient } from '../config.ts';

export interface BrokerClientsParts extends ClientParts {
  readonly clients: Readonly<Record<string, BrokerClient>>;
  readonly log: Log;
}

/** The clients in `brokerClients`: they have a secret and no redirect URI. Source: requirement broker.clients */
export class BrokerClients implements ClientSource {
  readonly #clients: ReadonlyMap<string, BrokerClient>;
  readonly #parts: BrokerClientsParts;
  /** Client id and why its secret could not be read. */
  readonly #faults = new Map<string, string>();

  constructor(parts: BrokerClientsParts) {
    this.#parts = parts;
    this.#clients = new Map(Object.entries(parts.clients));
  }

  async find(id: string): Promise<OAuthClient | undefined> {
    const client = this.#clients.get(id);
    const read = client && (await this.#secretOf(client));
    if (read === undefined) return undefined;
    if ('fault' in read) {
      this.#warnOnce(id, read.fault);
      throw OAuthError.unavailable('the client cannot be checked now', 'client-secret-unreadable');
    }
    this.#faults.delete(id);
    return {
      id,
      redirectUris: [],
      authMethod: 'client_secret_basic',
      secretHash: digest(read.secret),
      grantTypes: [TOKEN_EXCHANGE, JWT_BEARER],
      origin: 'configured',
    };
  }

  async #secretOf({
    clientSecretFile: file,
    clientCredentialsSecretRef: ref,
  }: BrokerClient): Promise<ReadSecret | undefined> {
    const { directory, secrets } = this.#parts;
    if (file !== undefined) return secretIn(file, directory());
    if (ref === undefined) return undefined;
    const read = await readSecretKeys(ref, [ref.clientSecretKey], secrets());
    return 'fault' in read ? read : { secret: read[0] ?? '' };
  }

  /** Anyone who knows the id may repeat the request. */
  #warnOnce(client: string, reason: string): void {
    if (this.#faults.get(client) === reason) return;
    this.#faults.set(client, reason);
    this.#parts.log.warn('the secret of a broker client cannot be read', { client, reason });
  }
}
