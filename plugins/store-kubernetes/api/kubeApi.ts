import { VERSION, isObject } from 'pegboard';
import { jsonIn } from '../../kit/text/jsonIn.ts';
import type { KubeCredentials, KubeIdentity } from './kubeCredentials.ts';
import { exchange } from './exchange.ts';
import type { KubeRequest, KubeStream, RawAnswer } from './exchange.ts';
import { KubeError, kubeErrorOf } from './kubeError.ts';
import type { KubeList, KubeObject } from './kubeObject.ts';
import { KubePools } from './kubePools.ts';
import { pathOf } from './pathOf.ts';
import type { KubePlace, KubeQuery } from './pathOf.ts';

const CALL_MS = 10_000;
/** Source: https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables */
const METADATA_ONLY = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

export interface KubeCallOptions {
  /** Calls as its owner: without our certificate and token. */
  readonly bearer?: string | undefined;
  /** Refuses unknown and duplicate fields, which are dropped otherwise. */
  readonly isStrict?: boolean;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}
export interface ListOptions extends KubeCallOptions {
  /** Objects without anything but their metadata. */
  readonly isMetadataOnly?: boolean;
  readonly limit?: number;
  readonly continue?: string | undefined;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}
export interface DeleteOptions extends KubeCallOptions {
  /** Refuses with 409 when it has been replaced meanwhile. */
  readonly uid?: string;
}
export interface KubeAnswer<T = KubeObject> {
  readonly object: T;
  /** What the API server warns of: fields that it has dropped. */
  readonly warnings: readonly string[];
}
export interface KubeWatchOptions extends KubeStream {
  readonly query: KubeQuery;
  readonly signal: AbortSignal;
}

/** A verb as RBAC and the audit log name it. */
export type KubeVerb = 'get' | 'list' | 'watch' | 'create' | 'patch' | 'update' | 'delete';

/** How a request has ended. */
export interface KubeOutcome {
  readonly verb: KubeVerb;
  /** The HTTP status; undefined without an answer. */
  readonly status: number | undefined;
  /** What has prevented an answer. */
  readonly error?: unknown;
  /** Whether it was sent as Pegboard, not as a caller. */
  readonly isOwn: boolean;
}

interface KubeCall {
  readonly verb: KubeVerb;
  readonly place: KubePlace;
  readonly query?: KubeQuery;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | undefined;
}

/** Requests to the API server, each with a time limit. All throw KubeError. */
export class KubeApi {
  readonly #credentials: KubeCredentials;
  readonly #pools: KubePools;
  readonly #callMs: number;
  readonly #maxBytes: number;
  readonly #ended: (outcome: KubeOutcome) => void;

  /** @param limits default: 10 s for a call, 64 MiB for an answer @param ended is called for each request, for a watch at its end */
  constructor(
    credentials: KubeCredentials,
    {
      callMs = CALL_MS,
      maxBytes = MAX_ANSWER_BYTES,
      ended = () => undefined,
    }: {
      readonly callMs?: number;
      readonly maxBytes?: number;
      readonly ended?: (outcome: KubeOutcome) => void;
    } = {},
  ) {
    this.#credentials = credentials;
    this.#pools = new KubePools(credentials.server, callMs);
    this.#callMs = callMs;
    this.#maxBytes = maxBytes;
    this.#ended = ended;
  }

  /** Namespace of the pod, or of the kubeconfig's context. */
  get namespace(): string | undefined {
    return this.#credentials.namespace;
  }

  /** @param place with a name */
  get(place: KubePlace, options: KubeCallOptions = {}): Promise<KubeAnswer> {
    return this.#call('GET', { verb: 'get', place }, options);
  }

  /** One page, or all without a `limit`. */
  list(place: KubePlace, options: ListOptions = {}): Promise<KubeAnswer<KubeList>> {
    const { limit, continue: rest, labelSelector, fieldSelector, isMetadataOnly = false } = options;
    const query = { limit, continue: rest, labelSelector, fieldSelector };
    const headers = isMetadataOnly ? { accept: METADATA_ONLY } : {};
    return this.#call<KubeList>('GET', { verb: 'list', place, query, headers }, options);
  }

  /** @param place without a name */
  create(place: KubePlace, object: object, options: KubeCallOptions = {}): Promise<KubeAnswer> {
    return this.#call('POST', { verb: 'create', place, query: queryOf(options), body: object }, options);
  }

  /** @param patch null removes a member, an array replaces the whole array. Source: RFC 7396 */
  mergePatch(place: KubePlace, patch: object, options: KubeCallOptions = {}): Promise<KubeAnswer> {
    return this.#call('PATCH', { verb: 'patch', place, query: queryOf(options), body: patch }, options);
  }

  /** A merge patch of the status alone; one that changes nothing makes no new version. */
  patchStatus(place: KubePlace, status: object, options: KubeCallOptions = {}): Promise<KubeAnswer> {
    return this.mergePatch({ ...place, subresource: 'status' }, { status }, options);
  }

  /** @param object with its resourceVersion: refused with 409 `Conflict` when there is a newer one */
  replace(place: KubePlace, object: object, options: KubeCallOptions = {}): Promise<KubeAnswer> {
    return this.#call('PUT', { verb: 'update', place, query: queryOf(options), body: object }, options);
  }

  /** Answers a Status, or the object while finalizers hold it. */
  delete(place: KubePlace, options: DeleteOptions = {}): Promise<KubeAnswer> {
    const body = options.uid === undefined ? undefined : { preconditions: { uid: options.uid } };
    return this.#call('DELETE', { verb: 'delete', place, body }, options);
  }

  /** Resolves when the API server has ended the watch; the time limit is for its beginning.
   *  @throws KubeError, or the signal's reason, or what `onChunk` throws */
  async watch(place: KubePlace, { query, signal, ...stream }: KubeWatchOptions): Promise<void> {
    const path = pathOf(place, { ...query, watch: true });
    const request = { method: 'GET', path, headers: {} } as const;
    const answer = await this.#asked('watch', request, { signal }, stream);
    if (answer.status !== 200) throw refusalIn(answer);
  }

  /** A text that continues, such as a log. Resolves at its end. @throws as watch() */
  async follow(place: KubePlace, { query, signal, ...stream }: KubeWatchOptions): Promise<void> {
    const request = { method: 'GET', path: pathOf(place, query), headers: { accept: '*/*' } } as const;
    const answer = await this.#asked('get', request, { signal }, stream);
    if (answer.status !== 200) throw refusalIn(answer);
  }

  /** Ends all calls and watches. Safe to call twice. */
  close(): Promise<void> {
    return this.#pools.close();
  }

  async #call<T = KubeObject>(
    method: KubeRequest['method'],
    { verb, place, query, headers, body }: KubeCall,
    options: KubeCallOptions,
  ): Promise<KubeAnswer<T>> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const sent =
      body === undefined
        ? { headers: { ...headers } }
        : { headers: { ...headers, 'content-type': type }, body: JSON.stringify(body) };
    const path = pathOf(place, query);
    const answer = await this.#asked(verb, { method, path, ...sent }, options);
    if (answer.status >= 300) throw refusalIn(answer);
    return { object: parsed(answer) as T, warnings: warningsIn(answer.headers['warning']) };
  }

  async #asked(
    verb: KubeVerb,
    request: KubeRequest,
    options: KubeCallOptions,
    stream?: KubeStream,
  ): Promise<RawAnswer> {
    const isOwn = options.bearer === undefined;
    try {
      const answer = await this.#ask(request, options, stream);
      this.#ended({ verb, status: answer.status, isOwn });
      return answer;
    } catch (error) {
      this.#ended({ verb, status: undefined, error, isOwn });
      throw error;
    }
  }

  async #ask(
    request: KubeRequest,
    { bearer, timeoutMs = this.#callMs, signal }: KubeCallOptions,
    stream?: KubeStream,
  ): Promise<RawAnswer> {
    const limits = { timeoutMs, maxBytes: this.#maxBytes, signal, ...(stream && { stream }) };
    const identity = await this.#credentials.current();
    if (bearer !== undefined) {
      const pool = await this.#pools.poolFor('callers', identity.tls);
      return exchange(pool, signedBy(request, `Bearer ${bearer}`), limits);
    }
    const send = async ({ tls, authorization }: KubeIdentity): Promise<RawAnswer> =>
      exchange(await this.#pools.poolFor('own', tls), signedBy(request, authorization), limits);
    const answer = await send(identity);
    if (answer.status !== 401) return answer;
    this.#credentials.refused();
    const { tls, authorization } = await this.#credentials.current();
    const isSame = tls === identity.tls && authorization === identity.authorization;
    // A 401 has had no effect: with what has been rotated meanwhile, the request may be sent again.
    return isSame ? answer : send({ tls, authorization });
  }
}

function signedBy(request: KubeRequest, authorization: string | undefined): KubeRequest {
  const headers = {
    accept: 'application/json',
    'user-agent': `pegboard/${VERSION}`,
    ...(authorization !== undefined && { authorization }),
    ...request.headers,
  };
  return { ...request, headers };
}

function queryOf({ isStrict }: KubeCallOptions): KubeQuery {
  return isStrict === true ? { fieldValidation: 'Strict' } : {};
}

function refusalIn({ status, text, headers }: RawAnswer): KubeError {
  return kubeErrorOf(status, text, headers['retry-after']);
}

function parsed({ status, text }: RawAnswer): unknown {
  const value = jsonIn(text);
  if (isObject(value)) return value;
  throw new KubeError('unreadable', `the API server answered HTTP ${status} without a JSON object`, {
    status,
  });
}

/** The texts of `Warning: 299 - "…"` headers. Source: RFC 9111 §5.5, RFC 7234 §5.5 */
function warningsIn(header: string | readonly string[] | undefined): readonly string[] {
  const lines = header === undefined ? '' : [header].flat().join(', ');
  return [...lines.matchAll(/\b\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) =>
    text.replaceAll(/\\(.)/g, '$1'),
  );
}
