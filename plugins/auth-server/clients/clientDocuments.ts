import { LRUCache } from 'lru-cache';
import { isObject } from 'pegboard';
import { GuardedFetchError } from 'pegboard/net';
import type { GuardedFetch } from 'pegboard/net';
import { jsonIn } from '../../kit/text/jsonIn.ts';
import { OAuthError } from '../../kit/oauth/oauthError.ts';
import type { OAuthClient } from '../../contracts/oauth.ts';
import { clientMetadata } from './clientMetadata.ts';
import { DocumentLane } from './documentLane.ts';
import type { KeptDocuments } from './keptDocuments.ts';
import { isLoopbackRedirect } from './redirectUri.ts';

/** Bounds of one fetch of a client's metadata document. */
export const DOCUMENT_BOUNDS = { timeoutMs: 10_000, maxBytes: 65_536, maxRedirects: 0 };

const MAX_ID_CHARS = 1_024;
const MAX_URIS = 100;
const MAX_CACHED_CHARS = 8_000_000;
const DEFAULT_S = 300;
/** The least, so that a document that forbids caching does not use up its host's rate. */
const MIN_S = 60;
const MAX_S = 3_600;
const REFUSED_MS = 15_000;

/** Faults of the network: they say nothing about the document. */
const NETWORK: readonly string[] = ['timeout', 'unreachable', 'unresolved'];
/** Statuses that say that there is no document. */
const GONE = [404, 410];

interface Known {
  /** As its document described it when it was read last. */
  readonly client?: OAuthClient;
  /** Why there is none now; counts before the client. */
  readonly refusal?: OAuthError;
  /** When the document was read, or found to be wrong, in ms since 1970; 0: neither. */
  readonly fetchedAt: number;
  readonly freshUntil: number;
}

/** Whether a client names itself by the URL of its metadata document. */
export function isDocumentId(clientId: string): boolean {
  return /^https:\/\//i.test(clientId);
}

/** What the URL alone says about a client: that it has no secret. @throws OAuthError invalid_client */
export function namedClient(id: string): OAuthClient {
  refuseMalformed(id);
  return { id, redirectUris: [], authMethod: 'none', origin: 'document' };
}

/** Clients that are described by a document at the URL that is their id.
 *  Source: draft-ietf-oauth-client-id-metadata-document, MCP 2025-11-25 (authorization) */
export class ClientDocuments {
  readonly #fetch: GuardedFetch;
  readonly #now: () => number;
  readonly #known = new LRUCache<string, Known>({
    maxSize: MAX_CACHED_CHARS,
    sizeCalculation: (known, id) => id.length + JSON.stringify(known).length,
  });
  readonly #flights = new Map<string, Promise<OAuthClient>>();
  /** Documents that were not read yet: strangers ask for as many as they like. */
  readonly #unread: DocumentLane;
  /** Documents that were read before: strangers must not keep their clients out. */
  readonly #read: DocumentLane;
  readonly #kept: KeptDocuments;

  /** @param fetch a guardedFetch within DOCUMENT_BOUNDS
   *  @param now the clock, in ms since 1970 */
  constructor(fetch: GuardedFetch, kept: KeptDocuments, now: () => number = Date.now) {
    this.#fetch = fetch;
    this.#kept = kept;
    this.#now = now;
    this.#unread = new DocumentLane(now);
    this.#read = new DocumentLane(now);
  }

  /** @param id for which isDocumentId is true @param address whose limits count for the request
   *  @throws OAuthError invalid_client if it is wrong or gone; temporarily_unavailable (503), rate_limit_exceeded (429) */
  async find(id: string, address: string): Promise<OAuthClient> {
    const known = this.#known.get(id);
    if (this.#isFresh(known)) return clientOf(known);
    refuseMalformed(id);
    const former = await this.#newest(id);
    if (this.#isFresh(former)) return clientOf(former);
    try {
      return await (this.#flights.get(id) ?? this.#load(id, address, former));
    } catch (error) {
      if (!(error instanceof OAuthError) || error.status === 400) throw error;
      return this.#overlooking(error, id, former);
    }
  }

  #isFresh(known: Known | undefined): known is Known {
    return known !== undefined && this.#now() < known.freshUntil;
  }

  /** Another process may have read the document since, or this one before a restart. */
  async #newest(id: string): Promise<Known | undefined> {
    const kept = await this.#kept.find(id);
    const known = this.#known.get(id);
    if (kept === undefined || (known !== undefined && known.fetchedAt >= kept.fetchedAt)) return known;
    this.#known.set(id, kept);
    return kept;
  }

  /** For a document that was read less than an hour ago, faults of the network and too many fetches are overlooked. Not for longer: within an
   *  hour, redirect URIs that were removed must be refused, also if someone keeps us from the document. */
  #overlooking(fault: OAuthError, id: string, { client, fetchedAt }: Partial<Known> = {}): OAuthClient {
    const end = (fetchedAt ?? 0) + MAX_S * 1_000;
    if (client === undefined || fetchedAt === undefined || this.#now() >= end) throw fault;
    this.#known.set(id, { client, fetchedAt, freshUntil: Math.min(end, this.#now() + REFUSED_MS) });
    return client;
  }

  /** @throws OAuthError if it may not be fetched now; it says nothing about this document, so it is not kept */
  #load(id: string, address: string, former: Known | undefined): Promise<OAuthClient> {
    const lane = former?.client === undefined ? this.#unread : this.#read;
    const leave = lane.enter(new URL(id).hostname.replace(/\.$/, ''), address);
    const flight = this.#fetched(id, former).finally(() => {
      leave();
      this.#flights.delete(id);
    });
    this.#flights.set(id, flight);
    return flight;
  }

  async #fetched(id: string, former: Known | undefined): Promise<OAuthClient> {
    try {
      const { client, seconds } = await this.#request(id);
      const fetchedAt = this.#now();
      const document = { client, fetchedAt, freshUntil: fetchedAt + seconds * 1_000 };
      this.#known.set(id, document);
      await this.#kept.keep(document, MAX_S);
      return client;
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      const now = this.#now();
      const isWrong = error.status === 400;
      const known = isWrong ? { fetchedAt: now } : { fetchedAt: 0, ...former };
      this.#known.set(id, { ...known, refusal: error, freshUntil: now + REFUSED_MS });
      if (isWrong && former?.client !== undefined) await this.#kept.forget(id);
      throw error;
    }
  }

  async #request(id: string): Promise<{ client: OAuthClient; seconds: number }> {
    const response = await this.#fetch(id, { headers: { accept: 'application/json' } }).catch(
      (error: unknown) => {
        throw error instanceof GuardedFetchError ? fetchRefusal(error) : error;
      },
    );
    const { status } = response;
    if (GONE.includes(status)) throw unfetched('status');
    if (status !== 200) throw away(status >= 500 ? 'status-5xx' : 'status-other');
    if (!isJson(response.headers.get('content-type') ?? '')) throw unfetched('media-type');
    const client = readDocument(id, jsonIn(await response.text()));
    return { client, seconds: secondsOf(response.headers.get('cache-control') ?? '') };
  }
}

function clientOf({ client, refusal }: Known): OAuthClient {
  if (client !== undefined && refusal === undefined) return client;
  throw refusal ?? unfetched('unknown');
}

/** @throws OAuthError */
function refuseMalformed(id: string): void {
  const [, path = ''] = /^https:\/\/[^/?#@\\\s]+\/([^?#\\\s]+)$/i.exec(id) ?? [];
  const hasDots = path.split('/').some((part) => /^(\.|%2e){1,2}$/i.test(part));
  if (path === '' || hasDots || id.length > MAX_ID_CHARS || !URL.canParse(id)) {
    const rule = 'https, a host and a path, without user information, dot segments, query and fragment';
    throw new OAuthError('invalid_client', `a client_id that is a URL must have ${rule}`, {
      reason: 'document-url',
    });
  }
}

/** @throws OAuthError */
function readDocument(id: string, document: unknown): OAuthClient {
  if (!isObject(document)) throw unusable('it is not a JSON object', 'json');
  if (document['client_id'] !== id) throw unusable('its client_id is not its URL', 'client-id');
  if ('client_secret' in document || 'client_secret_expires_at' in document)
    throw unusable('it contains a client secret', 'secret');
  if ((document['token_endpoint_auth_method'] ?? 'none') !== 'none')
    throw unusable('its token_endpoint_auth_method must be "none"', 'auth-method');
  if (!holds(document['grant_types'], 'authorization_code') || !holds(document['response_types'], 'code'))
    throw unusable('it does not use authorization codes', 'grant-types');
  const redirectUris = document['redirect_uris'];
  if (!isUriList(redirectUris))
    throw unusable(
      `its redirect_uris must be 1 to ${MAX_URIS} URIs with https, or with http for loopback`,
      'redirect-uris',
    );
  return { id, ...clientMetadata(document), redirectUris, authMethod: 'none', origin: 'document' };
}

/** Absent: the default of RFC 7591 §2. */
function holds(list: unknown, value: string): boolean {
  return list === undefined || (Array.isArray(list) && list.includes(value));
}

/** The rest of the policy is applied to the one that a sign-in uses. */
function isUriList(uris: unknown): uris is readonly string[] {
  return (
    Array.isArray(uris) &&
    uris.length > 0 &&
    uris.length <= MAX_URIS &&
    uris.every((uri) => typeof uri === 'string' && (/^https:\/\//i.test(uri) || isLoopbackRedirect(uri)))
  );
}

function isJson(type: string): boolean {
  return /^application\/(?:[\w.-]+\+)?json\s*(?:;\s*charset="?utf-8"?\s*)?$/i.test(type);
}

/** How long it may be used without asking again. */
function secondsOf(cacheControl: string): number {
  if (/\bno-(?:store|cache)\b/i.test(cacheControl)) return MIN_S;
  const given = /\bmax-age="?(\d{1,9})/i.exec(cacheControl)?.[1];
  return Math.min(MAX_S, Math.max(MIN_S, given === undefined ? DEFAULT_S : Number(given)));
}

function fetchRefusal({ reason }: GuardedFetchError): OAuthError {
  if (NETWORK.includes(reason)) return away(reason);
  if (reason !== 'private-address') return unfetched(reason);
  return new OAuthError('invalid_client', 'URL resolves to a private or internal address', {
    reason: 'document-private-address',
  });
}

/** Not `invalid_client`, upon which clients drop their tokens. One text, so that nothing about the network can be learnt by it. */
function away(reason: string): OAuthError {
  return OAuthError.unavailable(
    'the client metadata document cannot be read now',
    `document-${reason}`,
    REFUSED_MS / 1_000,
  );
}

function unfetched(reason: string): OAuthError {
  const rule = 'it must be JSON with status 200, without redirects, at most 64 KiB, within 10 seconds';
  return new OAuthError('invalid_client', `the client metadata document cannot be fetched: ${rule}`, {
    reason: `document-${reason}`,
  });
}

function unusable(fault: string, reason: string): OAuthError {
  return new OAuthError('invalid_client', `the client metadata document cannot be used: ${fault}`, {
    reason: `document-${reason}`,
  });
}
