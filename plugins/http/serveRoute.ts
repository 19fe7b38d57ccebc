import type { IncomingMessage, ServerResponse } from 'node:http';
import { isReply } from 'pegboard';
import type { InboundRequest, Log, Reply, RequestFacts, RequestGate } from 'pegboard';
import { sharerOf } from '../kit/authority/ownerOf.ts';
import type { MemoryBudget, MemoryShare } from '../contracts/memory.ts';
import type { HttpExchange, Route } from '../contracts/http.ts';
import { hasLargeRest } from '../kit/http/closeGently.ts';
import { readBody } from './readBody.ts';
import type { HttpConfig } from './config.ts';
import { refuseOtherSites } from './hosts.ts';
import { plainRefusal, replyFor, writeReply } from './replies.ts';

export interface ServerParts {
  readonly config: HttpConfig;
  readonly log: Log;
  readonly gate: () => RequestGate;
  readonly memory: () => MemoryBudget | undefined;
  readonly routes: readonly Route[];
  /** Counts a refusal. @param status of its response */
  readonly refused: (status: number) => void;
  /** Takes a response that a stop ends instead of waiting for it. */
  readonly standing: (res: ServerResponse, stream: ServedRequest) => void;
}

export interface ServedRequest {
  readonly request: InboundRequest;
  readonly end: () => void;
}

export interface RouteHit {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly params: Readonly<Record<string, string>>;
  readonly url: string;
}

/** Opens the gate for a request, and lets the route answer it. */
export async function serveRoute(parts: ServerParts, route: Route, hit: RouteHit): Promise<void> {
  try {
    if (route.access === 'caller') refuseOtherSites(hit.req);
    const facts = new HttpFacts(hit, route.access);
    const request = await parts.gate().open(facts);
    if (isReply(request)) {
      refuse(parts, hit, request);
      return;
    }
    const reply = await route.handle(new Exchange(hit, parts, { facts, request }), request);
    if (reply !== undefined) answer(hit, reply);
  } catch (error) {
    refuse(parts, hit, replyFor(error, parts.log, route.refusalBody?.bind(route) ?? plainRefusal));
  }
}

export function refuse(
  { refused }: Pick<ServerParts, 'refused'>,
  exchange: Pick<RouteHit, 'req' | 'res'>,
  reply: Reply,
): void {
  refused(reply.status);
  answer(exchange, reply);
}

/** A body that the reply leaves unread is read to its end when it is small; otherwise the connection ends with the reply. */
function answer({ req, res }: Pick<RouteHit, 'req' | 'res'>, reply: Reply): void {
  const closing = { ...reply, headers: { ...reply.headers, connection: 'close' } };
  writeReply(res, hasLargeRest(req) ? closing : reply);
  if (!req.readableEnded) req.resume();
}

type Head = Pick<IncomingMessage, 'headers' | 'headersDistinct' | 'method' | 'url'> & {
  readonly socket: { readonly remoteAddress?: string | undefined };
};

class HttpFacts implements RequestFacts {
  readonly transport = 'http';
  readonly access: 'caller' | 'public';
  readonly preset: string | undefined;
  #req: Head;
  constructor({ req, params }: RouteHit, access: 'caller' | 'public') {
    this.access = access;
    this.preset = params['preset'];
    this.#req = req;
  }
  /** Holds neither the socket nor the request any more: a stream's facts may outlive both. */
  detach(): void {
    const { headers, headersDistinct, method, url, socket } = this.#req;
    const { remoteAddress } = socket;
    this.#req = { headers, headersDistinct, method, url, socket: { remoteAddress } };
  }
  header(name: string): string | undefined {
    const value = this.#req.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }
  isRepeated(name: string): boolean {
    return (this.#req.headersDistinct[name]?.length ?? 0) > 1;
  }
  get method(): string {
    return this.#req.method ?? '';
  }
  get path(): string {
    return (this.#req.url ?? '/').split('?', 1)[0] ?? '/';
  }
  get remoteAddress(): string {
    return this.#req.socket.remoteAddress ?? '';
  }
}

interface Opened {
  readonly facts: HttpFacts;
  readonly request: InboundRequest;
}

class Exchange implements HttpExchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly params: Readonly<Record<string, string>>;
  readonly #parts: ServerParts;
  readonly #facts: HttpFacts;
  readonly #request: InboundRequest;
  readonly #url: string;
  constructor({ req, res, params, url }: RouteHit, parts: ServerParts, { facts, request }: Opened) {
    this.req = req;
    this.res = res;
    this.params = params;
    this.#url = url;
    this.#parts = parts;
    this.#facts = facts;
    this.#request = request;
  }
  get query(): URLSearchParams {
    return new URLSearchParams(this.#url.split('?', 2)[1] ?? '');
  }
  body(maxBytes = Infinity): Promise<string> {
    return readBody(this.req, Math.min(maxBytes, this.#parts.config.maxBodyBytes), this.#share());
  }
  /** A share until the response has ended: a call that waits holds its arguments. */
  #share(): MemoryShare | undefined {
    if (this.res.destroyed || !hasLargeRest(this.req)) return undefined;
    const share = this.#parts.memory()?.open('request', sharerOf(this.#request));
    if (share !== undefined) this.res.once('close', () => share.size(0));
    return share;
  }
  standing(end = (): void => void this.res.end()): void {
    this.#facts.detach();
    this.#parts.standing(this.res, { request: this.#request, end });
  }
}
