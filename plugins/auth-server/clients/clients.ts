import { OAuthError } from '../../kit/oauth/oauthError.ts';
import type { ClientSource, OAuthClient } from '../../contracts/oauth.ts';
import { isDocumentId } from './clientDocuments.ts';
import type { ClientDocuments } from './clientDocuments.ts';
import type { Registrations } from './registrations.ts';

export interface ClientsParts {
  readonly sources: () => readonly ClientSource[];
  readonly registrations: Registrations;
  readonly documents: ClientDocuments;
  /** Whether a client may be known by its metadata document. */
  readonly hasDocuments: () => boolean;
}

/** The clients that this gateway knows. */
export class Clients {
  readonly #parts: ClientsParts;

  constructor(parts: ClientsParts) {
    this.#parts = parts;
  }

  /** @throws OAuthError invalid_client; as ClientDocuments.find() @throws GatewayError STORE_UNREACHABLE */
  async find(id: string): Promise<OAuthClient> {
    const { sources, registrations, documents, hasDocuments } = this.#parts;
    for (const source of sources()) {
      const client = await source.find(id);
      if (client !== undefined) return client;
    }
    if (isDocumentId(id) && hasDocuments()) return documents.find(id);
    const client = await registrations.find(id);
    if (client !== undefined) return client;
    throw new OAuthError('invalid_client', 'the client is not known here; register it again', {
      reason: 'unknown-client',
    });
  }
}
