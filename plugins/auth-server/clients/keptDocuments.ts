import { isObject } from 'pegboard';
import type { Log } from 'pegboard';
import type { OAuthClient } from '../../contracts/oauth.ts';
import type { Vault } from '../../contracts/vault.ts';
import { digest } from '../../kit/secrets/secrets.ts';

const KIND = 'oauth-document:';
/** Two characters of base64: 4,096 places, and a document replaces the one that has its place. So strangers can neither fill the vault nor
 *  make it count. */
const PLACE_CHARS = 2;
/** Size of a record as JSON: all of them stay below 17 MB. */
const MAX_RECORD_BYTES = 4_096;

/** What a document said when it was read. */
export interface ReadDocument {
  readonly client: OAuthClient;
  /** Time in ms since 1970. */
  readonly fetchedAt: number;
  readonly freshUntil: number;
}

/** Metadata documents in the vault, for other processes and after a restart. No method rejects: documents can be fetched. */
export class KeptDocuments {
  readonly #vault: () => Vault | undefined;
  readonly #log: Log;

  constructor(vault: () => Vault | undefined, log: Log) {
    this.#vault = vault;
    this.#log = log;
  }

  find(id: string): Promise<ReadDocument | undefined> {
    return this.#do(async (vault) => {
      const kept = await vault.get(keyOf(id));
      return isReadDocument(kept) && kept.client.id === id ? kept : undefined;
    });
  }

  keep(document: ReadDocument, ttlSeconds: number): Promise<void> {
    return this.#do(async (vault) => {
      if (Buffer.byteLength(JSON.stringify(document)) > MAX_RECORD_BYTES) return;
      await vault.set(keyOf(document.client.id), document, ttlSeconds);
    });
  }

  async forget(id: string): Promise<void> {
    if ((await this.find(id)) !== undefined) await this.#do((vault) => vault.delete(keyOf(id)));
  }

  async #do<T>(work: (vault: Vault) => Promise<T>): Promise<T | undefined> {
    const vault = this.#vault();
    try {
      return vault === undefined ? undefined : await work(vault);
    } catch (error) {
      this.#log.debug('a client metadata document could not be kept or looked up', { error });
      return undefined;
    }
  }
}

function keyOf(id: string): string {
  return KIND + digest(id).slice(0, PLACE_CHARS);
}

function isReadDocument(value: unknown): value is ReadDocument {
  return isObject(value) && isObject(value['client']);
}
