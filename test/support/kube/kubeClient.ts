import { finished } from 'node:stream/promises';
import { Agent } from 'undici';
import type { Dispatcher } from 'undici';
import { defer } from '../cleanup.ts';
import { until } from '../until.ts';

const CALL_MS = 10_000;

/** Who calls: a bearer token, or a client certificate and its key (PEM). With both, the certificate decides. */
export interface Credentials {
  readonly token?: string;
  readonly certificate?: string;
  readonly key?: string;
}
export interface KubeObject {
  readonly kind?: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly continue?: string;
  } & Readonly<Record<string, unknown>>;
  readonly status?: unknown;
  readonly items?: readonly KubeObject[];
  readonly [member: string]: unknown;
}
export interface KubeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** @throws SyntaxError for the plain text of a path that does not exist */
  readonly object: () => KubeObject;
}
export interface KubeRequest {
  readonly body?: unknown;
  /** PATCH sends a merge patch unless a content-type is here. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly withinMs?: number;
}
export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: KubeObject;
}
export interface KubeWatch {
  readonly events: readonly WatchEvent[];
  /** Waits for that event; of an object if `name` is given. */
  readonly heard: (type: WatchEvent['type'], name?: string) => Promise<WatchEvent>;
  /** `clean`, or the code of the error that ended the connection. */
  readonly ended: Promise<string>;
  readonly close: () => void;
}
export interface KubeClient {
  /** Any answer. @throws the error of undici without one in time */
  readonly ask: (method: Dispatcher.HttpMethod, path: string, request?: KubeRequest) => Promise<KubeAnswer>;
  /** @throws Error with the answer unless it is a success */
  readonly get: (path: string) => Promise<KubeObject>;
  readonly create: (path: string, body: object) => Promise<KubeObject>;
  readonly delete: (path: string) => Promise<KubeObject>;
  /** @param path of the list, with its query @throws Error with the answer unless it is a stream */
  readonly watch: (path: string) => Promise<KubeWatch>;
}

/** Plain requests to an API server by one caller, until the test ends. @param ca PEM */
export function kubeClient(url: string, ca: string, { token, certificate, key }: Credentials): KubeClient {
  const own = certificate !== undefined && key !== undefined ? { cert: certificate, key } : {};
  const agent = new Agent({ connect: { ca, ...own } });
  defer(() => agent.destroy());
  const bearer = token === undefined ? {} : { authorization: `Bearer ${token}` };

  const ask: KubeClient['ask'] = async (method, path, { body, headers = {}, withinMs = CALL_MS } = {}) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const answer = await agent.request({
      origin: url,
      method,
      path,
      headers: { ...bearer, ...(body !== undefined && { 'content-type': type }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(withinMs),
    });
    const text = await answer.body.text();
    const { statusCode: status, headers: received } = answer;
    return { status, headers: received, text, object: () => JSON.parse(text) as KubeObject };
  };
  const succeed = async (...request: Parameters<typeof ask>): Promise<KubeObject> => {
    const answer = await ask(...request);
    if (answer.status >= 300) throw new Error(`${request[0]} ${request[1]}: ${answer.status} ${answer.text}`);
    return answer.object();
  };
  return {
    ask,
    get: (path) => succeed('GET', path),
    create: (path, body) => succeed('POST', path, { body }),
    delete: (path) => succeed('DELETE', path),
    watch: async (path) => {
      const stop = new AbortController();
      const { statusCode, body } = await agent.request({
        origin: url,
        method: 'GET',
        path: `${path}${path.includes('?') ? '&' : '?'}watch=true`,
        headers: bearer,
        bodyTimeout: 0,
        signal: stop.signal,
      });
      if (statusCode !== 200) throw new Error(`watch ${path}: ${statusCode} ${await body.text()}`);
      const events: WatchEvent[] = [];
      let rest = '';
      body.setEncoding('utf8').on('data', (chunk: string) => {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() ?? '';
        events.push(...lines.map((line) => JSON.parse(line) as WatchEvent));
      });
      const ended = finished(body).then(
        () => 'clean',
        (error: unknown) => {
          const { code, name } = error as NodeJS.ErrnoException;
          return typeof code === 'string' ? code : name;
        },
      );
      const find = (type: string, name?: string): WatchEvent | undefined =>
        events.find(
          (event) =>
            event.type === type && (name ?? event.object.metadata.name) === event.object.metadata.name,
        );
      return {
        events,
        heard: (type, name) => until(() => find(type, name), { what: `${type} ${name ?? ''} in ${path}` }),
        ended,
        close: () => stop.abort(),
      };
    },
  };
}
