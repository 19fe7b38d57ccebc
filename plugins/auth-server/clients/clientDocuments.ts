import { LRUCache } from 'lru-cache';
import { isObject } from 'pegboard';
import { GuardedFetchError } from 'pegboard/net';
import type { GuardedFetch } from 'pegboard/net';
import { jsonIn } from '../../kit/text/jsonIn.ts';
import { OAuthError } from '../../kit/oauth/oauthError.ts';
import { recentlyUsed } from '../../kit/limits/recentlyUsed.ts';
import type { OAuthClient } from '../../contracts/oauth.ts';
import { clientMetadata } from './clientMetadata.ts';
import { isLoopbackRedirect } from './redirectUri.ts';

/** Bounds of one fetch of a client's metadata document. */
export const DOCUMENT_BOUNDS = { timeoutMs: 10_000, maxBytes: 65_536, maxRedirects: 0 };

const MAX_ID_CHARS = 1_024;
const MAX_URIS = 100;
const MAX_CACHED_CHARS = 8_000_000;
const MAX_HOSTS = 10_000;
const MAX_FLIGHTS = 50;
const BURST = 3;
const PER_FETCH_MS = 1_000;
const DEFAULT_S = 300;
/** The least, so that a document that forbids caching does not use up its host's rate. */
const MIN_S = 60;
const MAX_S = 3_600;
const REFUSED_MS = 15_000;
/** Reasons of busy(). */
const BUSY: readonly string[] = ['document-fetches', 'document-rate'];

/** Faults of the network: they say nothing about the document. */
const NETWORK: readonly string[] = ['timeout', 'unreachable', 'unresolved'];
/** Statuses that say that there is no document. */
const GONE = [404, 410];

interface Known {
  readonly client?: OAuthClient;
  readonly refusal?: OAuthError;
  /** Time in ms since 1970. */
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
  /** Host → when its next fetch is due at an even rate, in ms since 1970. */
  readonly #dueByHost = recentlyUsed<number>(MAX_HOSTS);

  /** @param fetch a guardedFetch within DOCUMENT_BOUNDS
   *  @param now the clock, in ms since 1970 */
  constructor(fetch: GuardedFetch, now: () => number = Date.now) {
    this.#fetch = fetch;
    this.#now = now;
  }

  /** @param id for which isDocumentId is true @throws OAuthError invalid_client if it is wrong or gone; temporarily_unavailable (503), rate_limit_exceeded (429) */
  async find(id: string): Promise<OAuthClient> {
    const known = this.#known.get(id);
    if (known !== undefined && this.#now() < known.freshUntil) return clientOf(known);
    let flight = this.#flights.get(id);
    if (flight === undefined) {
      flight = this.#load(id, known).finally(() => this.#flights.delete(id));
      this.#flights.set(id, flight);
    }
    return flight;
  }

  async #load(id: string, former: Known | undefined): Promise<OAuthClient> {
    refuseMalformed(id);
    // For a document that was fetched less than an hour ago, faults of the network and of its rate are overlooked. Not for
    // longer: within an hour, redirect URIs that were removed must be refused, also if someone keeps us from the document.
    const isUsable = former?.client !== undefined && this.#now() < former.fetchedAt + MAX_S * 1_000;
    try {
      this.#spend(new URL(id).hostname.replace(/\.$/, ''));
      const { client, seconds } = await this.#read(id);
      const fetchedAt = this.#now();
      this.#known.set(id, { client, fetchedAt, freshUntil: fetchedAt + seconds * 1_000 });
      return client;
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      if (isUsable && error.status !== 400) {
        const end = former.fetchedAt + MAX_S * 1_000;
        this.#known.set(id, { ...former, freshUntil: Math.min(end, this.#now() + REFUSED_MS) });
        return clientOf(former);
      }
      // Those that are busy say nothing about this document.
      if (!BUSY.includes(error.reason)) this.#remember(id, error);
      throw error;
    }
  }

  #remember(id: string, refusal: OAuthError): void {
    const fetchedAt = this.#now();
    this.#known.set(id, { refusal, fetchedAt, freshUntil: fetchedAt + REFUSED_MS });
  }

  /** @throws OAuthError if there are too many fetches, of this host or in all */
  #spend(host: string): void {
    if (this.#flights.size >= MAX_FLIGHTS)
      throw busy('temporarily_unavailable', { status: 503, reason: 'document-fetches' });
    const now = this.#now();
    const due = Math.max(now, this.#dueByHost.get(host) ?? 0);
    if (due - now > (BURST - 1) * PER_FETCH_MS)
      throw busy('rate_limit_exceeded', { status: 429, reason: 'document-rate' });
    this.#dueByHost.set(host, due + PER_FETCH_MS);
  }

  async #read(id: string): Promise<{ client: OAuthClient; seconds: number }> {
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
  if (client !== undefined) return client;
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

function busy(error: string, { status, reason }: { status: number; reason: string }): OAuthError {
  const headers = { 'retry-after': '1' };
  return new OAuthError(error, 'too many client metadata documents are being fetched, please retry', {
    status,
    headers,
    reason,
  });
}
