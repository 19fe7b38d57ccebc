import { open, rm } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import type { ClientRequest, IncomingMessage, Server, ServerResponse } from 'node:http';
import { request as sendSecurely } from 'node:https';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { messageOf } from 'pegboard';
import { authorizationFor } from 'pegboard/net';
import { placeIn, placeText } from '../kit/definitions/hostGrant.ts';
import type { Place } from '../kit/definitions/hostGrant.ts';
import { closeGently, closesGently } from '../kit/http/closeGently.ts';
import { hasBody, passed, silent } from './passed.ts';
import { HeldPlaces } from './places.ts';
import { Refused, openWay, wayTo } from './reach.ts';
import type { ReachParts, Way } from './reach.ts';
import { Turns } from './turns.ts';

const CONNECT_MS = 30_000;
const HEADERS_MS = 10_000;
const MAX_HEADER_BYTES = 16_384;
/** Connections and requests of a second, refused ones included, beyond which the proxy ends: each takes time of the gateway. */
const MAX_PER_SECOND = 1_000;
/** Longest path that a socket may have, with the zero at its end. */
const MAX_SOCKET_PATH = 107;

export interface HostProxyParts extends Omit<ReachParts, 'resolve'> {
  /** Finds addresses, unless it is aborted before. */
  readonly resolve: (host: string, signal: AbortSignal) => Promise<readonly string[]>;
  readonly connections: number;
  readonly idleMs: number;
  /** Takes a place of those of all sandboxes. @returns what gives it back; undefined if there is none */
  readonly place: () => (() => void) | undefined;
  /** Takes a place that was asked for in vain, and why. */
  readonly onFailure: (place: string, failed: { readonly why: string; readonly isRefused: boolean }) => void;
  /** Takes why it has ended by itself. */
  readonly onFlood: () => void;
}

/** A proxy on a unix socket that connects to granted places only: CONNECT, and requests to http:// URLs, which it sends anew.
 *  Source: RFC 9110 §9.3.6, RFC 9112 §3.2.2 */
export class HostProxy {
  readonly #parts: HostProxyParts & ReachParts;
  readonly #server: Server;
  /** All sockets of both sides. */
  readonly #sockets = new Set<Socket>();
  readonly #closed = new AbortController();
  readonly #turns = new Turns();
  readonly #places: HeldPlaces;
  #release: () => Promise<void> = () => Promise.resolve();
  #second = 0;
  #count = 0;

  constructor(parts: HostProxyParts) {
    this.#parts = { ...parts, resolve: this.#bounded(parts) };
    this.#places = new HeldPlaces(parts.connections, parts.place);
    const options = { maxHeaderSize: MAX_HEADER_BYTES, headersTimeout: HEADERS_MS, requestTimeout: 0 };
    this.#server = createServer({ ...options, connectionsCheckingInterval: HEADERS_MS / 2 });
    this.#server.maxConnections = parts.connections;
    this.#server.setTimeout(parts.idleMs);
    closesGently(this.#server);
    this.#server.on('connection', (socket: Socket) => {
      if (!this.#isFlooded() && this.#places.enter(socket)) this.#hold(socket);
      else socket.on('error', () => undefined).destroy();
    });
    this.#server.on('drop', () => this.#isFlooded());
    this.#server.on('request', (asked, answer) => {
      answer.on('error', () => undefined);
      if (!this.#isFlooded()) void this.#turns.take(asked, answer, () => this.#forward(asked, answer));
    });
    this.#server.on('connect', (asked, socket: Socket, head) => void this.#tunnel(asked, socket, head));
  }

  /** Begins to listen. @param folder of sockets, which no server sees @returns the path of the socket */
  async listen(folder: string): Promise<string> {
    const name = randomBytes(9).toString('hex');
    const path = join(folder, name);
    // The kernel takes longer paths by an open folder only.
    const handle = path.length > MAX_SOCKET_PATH ? await open(folder) : undefined;
    this.#release = async () => {
      await rm(path, { force: true });
      await handle?.close();
    };
    this.#server.listen(handle === undefined ? path : `/proc/self/fd/${handle.fd}/${name}`);
    await once(this.#server, 'listening').catch(async (error: unknown) => {
      await this.close();
      throw error;
    });
    return path;
  }

  /** Ends all connections at once. Safe to call twice. */
  async close(): Promise<void> {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort();
    const ended = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    this.#server.closeAllConnections();
    await ended;
    await this.#release();
  }

  async #tunnel(asked: IncomingMessage, near: Socket, head: Buffer): Promise<void> {
    near.on('error', () => undefined);
    if (this.#isFlooded()) return;
    const refuse = (status: string, text: string): void => {
      const body = `${text}\n`;
      const lines = [`HTTP/1.1 ${status}`, 'content-type: text/plain', `content-length: ${body.length}`];
      near.write(`${[...lines, 'connection: close'].join('\r\n')}\r\n\r\n${body}`);
      closeGently(near);
    };
    const place = placeIn(asked.url ?? '');
    if (place === undefined) {
      refuse('400 Bad Request', 'CONNECT needs host:port');
      return;
    }
    try {
      const far = await this.#reached(near, async (signal) => {
        const way = await wayTo(place, true, this.#parts);
        signal.throwIfAborted();
        return openWay(place, way, { ...this.#parts, signal });
      });
      this.#hold(far);
      this.#places.keep(near, far);
      far.setTimeout(this.#parts.idleMs, () => far.destroy());
      near.setTimeout(this.#parts.idleMs, () => near.destroy());
      near.write('HTTP/1.1 200 Connection established\r\n\r\n');
      if (head.length > 0) far.write(head);
      near.on('close', () => far.destroySoon()).pipe(far);
      far.on('close', () => near.destroySoon()).pipe(near);
    } catch (error) {
      if (near.destroyed) return;
      const isRefused = error instanceof Refused;
      const text = this.#failed(place, error);
      refuse(isRefused ? '403 Forbidden' : '502 Bad Gateway', text);
    }
  }

  async #forward(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const refuse = (status: number, text: string): void => {
      if (answer.headersSent || answer.destroyed) answer.destroy();
      else answer.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(`${text}\n`);
    };
    const url = URL.canParse(asked.url ?? '') ? new URL(asked.url ?? '') : undefined;
    const place = url?.protocol === 'http:' ? placeIn(`${url.hostname}:${url.port || 80}`) : undefined;
    if (url === undefined || place === undefined) {
      refuse(400, 'this is a proxy: it takes CONNECT, and the whole URL of http://');
      return;
    }
    const fail = (error: unknown): void => {
      if (answer.destroyed) return;
      refuse(error instanceof Refused ? 403 : 502, this.#failed(place, error));
    };
    try {
      const far = await this.#reached(asked.socket, async (signal) => {
        const way = await wayTo(place, false, this.#parts);
        signal.throwIfAborted();
        return this.#request(url, asked, { place, way, signal });
      });
      far.on('error', fail).on('socket', (socket) => this.#hold(socket));
      far.setTimeout(this.#parts.idleMs, () => far.destroy());
      answer.on('close', () => far.destroy());
      far.on('response', (given) => {
        try {
          answer.writeHead(given.statusCode ?? 502, passed(given));
          pipeline(given, answer, () => undefined);
        } catch (error) {
          // A status or a name that Node.js reads, but does not write.
          given.destroy();
          fail(error);
        }
      });
      if (hasBody(asked)) pipeline(asked, far, () => undefined);
      else far.end();
    } catch (error) {
      fail(error);
    }
  }

  /** The request as it is sent anew. Its body is framed as that of the client was: what another reader took for a request of its own
   *  would pass by the check. */
  async #request(
    url: URL,
    asked: IncomingMessage,
    { place, way, signal }: { readonly place: Place; readonly way: Way; readonly signal: AbortSignal },
  ): Promise<ClientRequest> {
    const { proxy } = way;
    const framing = asked.headers['transfer-encoding'] !== undefined && { 'transfer-encoding': 'chunked' };
    const headers = { ...passed(asked), ...framing, host: url.host };
    const method = asked.method ?? 'GET';
    if (proxy === undefined || proxy.isSocks) {
      const socket = await openWay(place, way, { ...this.#parts, signal });
      const path = url.pathname + url.search;
      return silent(send({ method, path, headers, createConnection: () => socket }));
    }
    const trusted = proxy.isHttps ? this.#parts.trust() : undefined;
    const sent = (proxy.isHttps ? sendSecurely : send)({
      method,
      host: proxy.host,
      port: proxy.port,
      agent: false,
      path: `http://${url.host}${url.pathname}${url.search}`,
      headers: { ...headers, ...authorizationFor(proxy) },
      ...(trusted && { secureContext: trusted }),
    });
    return silent(sent);
  }

  /** What `work` opens, unless the client leaves before or it takes too long. */
  async #reached<T extends { destroy(): unknown }>(
    near: Socket,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const late = new AbortController();
    const leave = (): void => late.abort(new Error('the client has left'));
    const timer = setTimeout(() => late.abort(new Error('no connection in time')), CONNECT_MS);
    near.once('close', leave);
    const signal = AbortSignal.any([late.signal, this.#closed.signal]);
    try {
      return await new Promise<T>((resolve, reject) => {
        // A look-up of a name cannot be ended.
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        work(signal).then((opened) => {
          if (signal.aborted) opened.destroy();
          else resolve(opened);
        }, reject);
      });
    } finally {
      clearTimeout(timer);
      near.off('close', leave);
    }
  }

  /** Keeps a failure for people. @returns it for the server */
  #failed(place: Place, error: unknown): string {
    const text = placeText(place);
    const isRefused = error instanceof Refused;
    const why = isRefused ? error.message : `cannot be reached: ${messageOf(error)}`;
    this.#parts.onFailure(text, { why, isRefused });
    return isRefused ? `${text} is refused: ${error.message}` : `${text} cannot be reached`;
  }

  #bounded({ resolve, connections }: HostProxyParts): ReachParts['resolve'] {
    let waiting = 0;
    return async (host) => {
      // Clients that leave make room for others, but not in this queue.
      if (waiting >= connections) throw new Error('too many names are being resolved');
      waiting += 1;
      return resolve(host, this.#closed.signal).finally(() => (waiting -= 1));
    };
  }

  #hold(socket: Socket): void {
    if (this.#closed.signal.aborted) socket.destroy();
    socket.on('error', () => undefined);
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }

  #isFlooded(): boolean {
    const second = Math.trunc(performance.now() / 1_000);
    if (second !== this.#second) this.#count = 0;
    this.#second = second;
    this.#count += 1;
    if (this.#closed.signal.aborted) return true;
    if (this.#count <= MAX_PER_SECOND) return false;
    this.#parts.onFlood();
    void this.close();
    return true;
  }
}
