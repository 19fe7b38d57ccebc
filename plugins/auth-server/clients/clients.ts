import { OAuthError } from '../../kit/oauth/oauthError.ts';
import type { ClientSource, OAuthClient } from '../../contracts/oauth.ts';
import type { AllowedClients } from './allowedClients.ts';
import { isDocumentId, namedClient } from './clientDocuments.ts';
import type { ClientDocuments } from './clientDocuments.ts';
import type { Registrations } from './registrations.ts';

/** The clients that this gateway knows. */
export class Clients {
  readonly #sources: () => readonly ClientSource[];
  readonly registrations: Registrations;
  readonly #documents: ClientDocuments;
  readonly #hasDocuments: () => boolean;
  readonly allowed: AllowedClients;

  /** @param hasDocuments whether a client may be known by its metadata document */
  constructor(
    sources: () => readonly ClientSource[],
    registrations: Registrations,
    documents: ClientDocuments,
    hasDocuments: () => boolean,
    allowed: AllowedClients,
  ) {
    this.allowed = allowed;
    this.#sources = sources;
    this.registrations = registrations;
    this.#documents = documents;
    this.#hasDocuments = hasDocuments;
  }

  /** @param address whose limits count for the request
   *  @throws OAuthError invalid_client; as ClientDocuments.find(); as findAllowed() @throws GatewayError STORE_UNREACHABLE */
  find(id: string, address: string): Promise<OAuthClient> {
    return this.#checked(id, () => {
      this.allowed.check({ id, redirectUris: [] });
      return this.#documents.find(id, address);
    });
  }

  /** As findBound(), if people may still sign in with it. @throws as findBound(); OAuthError unauthorized_client */
  findAllowed(id: string): Promise<OAuthClient> {
    return this.#checked(id, () => namedClient(id));
  }

  async #checked(id: string, byDocument: () => OAuthClient | Promise<OAuthClient>): Promise<OAuthClient> {
    const client = await this.#find(id, byDocument);
    // A client of a plugin is the operator's own.
    if (client.origin !== 'configured') this.allowed.check(client);
    return client;
  }

  /** Reads no metadata document: for requests whose token is bound to the client's id, and for what needs a secret. @throws as find() */
  findBound(id: string): Promise<OAuthClient> {
    return this.#find(id, () => namedClient(id));
  }

  async #find(id: string, byDocument: () => OAuthClient | Promise<OAuthClient>): Promise<OAuthClient> {
    for (const source of this.#sources()) {
      const client = await source.find(id);
      if (client !== undefined) return client;
    }
    if (isDocumentId(id) && this.#hasDocuments()) return byDocument();
    const client = await this.registrations.find(id);
    if (client !== undefined) return client;
    throw new OAuthError('invalid_client', 'the client is not known here; register it again', {
      reason: 'unknown-client',
    });
  }
}
