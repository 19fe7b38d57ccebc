import { randomUUID } from 'node:crypto';
import { createServer as createPlain } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { isObject, messageOf, waitAtMost } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { jsonIn } from '../kit/text/jsonIn.ts';
import { sharedKeyServer } from '../kit/tls/sharedKey.ts';
import type { BridgeParts } from './bridgeParts.ts';
import { PodSession } from './podSession.ts';
import { refuse } from './refuse.ts';

const MAX_BODY_BYTES = 64 * 1_024 * 1_024;
const MAX_CONNECTIONS = 1_000;
const HANDSHAKE_MS = 10_000;
/** A gateway that was killed sends no DELETE: the others ping, or have a stream open. */
const UNUSED_MS = 120_000;
const LOOK_MS = 10_000;

interface Place {
  readonly host: string;
  readonly port: number;
}

/** The endpoint of a stdio server: a session of the gateway is a process, and messages pass as they are.
 *  Source: MCP 2025-11-25, Transports, Streamable HTTP */
export class Listeners {
  readonly #parts: BridgeParts;
  readonly #sessions = new Map<string, PodSession>();
  readonly #bridge: Server;
  readonly #health: Server;
  #look: NodeJS.Timeout | undefined;
  #isDraining = false;

  constructor(parts: BridgeParts) {
    this.#parts = parts;
    const limits = { requestTimeout: 60_000, headersTimeout: 10_000 };
    this.#bridge = createServer(
      { ...sharedKeyServer(parts.key), handshakeTimeout: HANDSHAKE_MS, ...limits },
      (req, res) => void this.#serve(req, res).catch(() => res.destroy()),
    );
    // A scan of the network, or another key: the other end is told by TLS.
    this.#bridge.on('tlsClientError', () => undefined);
    this.#bridge.on('connection', (socket) => socket.setKeepAlive(true, 30_000));
    this.#health = createPlain(limits, (req, res) => {
      const isThere = req.method === 'GET' && req.url === '/health';
      res.writeHead(isThere ? (this.#isDraining ? 503 : 200) : 404, { connection: 'close' }).end();
    });
    for (const server of [this.#bridge, this.#health]) server.maxConnections = MAX_CONNECTIONS;
  }

  /** @returns the addresses @throws what listen() throws */
  async open(bridge: Place, health: Place | '' | undefined): Promise<readonly string[]> {
    const places = [await listen(this.#bridge, bridge)];
    if (health) places.push(await listen(this.#health, health));
    this.#look = setInterval(() => this.#endUnused(), LOOK_MS).unref();
    return places;
  }

  /** Waits for running calls, then ends all processes. */
  async close(): Promise<void> {
    this.#isDraining = true;
    clearInterval(this.#look);
    const sessions = [...this.#sessions.values()];
    await waitAtMost(this.#parts.drainMs, Promise.all(sessions.map((session) => session.idle())));
    await Promise.all(sessions.map((session) => session.end('the pod is stopping')));
    for (const server of [this.#bridge, this.#health]) {
      server.close();
      server.closeAllConnections();
    }
  }

  #endUnused(): void {
    for (const session of this.#sessions.values())
      if (session.unusedMs > UNUSED_MS) void session.end('its gateway has not used it');
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (req.url !== '/mcp') {
      refuse(res, 404, 'the endpoint is /mcp');
      return;
    }
    const id = req.headers['mcp-session-id'];
    const session = typeof id === 'string' ? this.#sessions.get(id) : undefined;
    if (req.method === 'POST') return this.#post(req, res, session);
    if (session === undefined) {
      refuse(res, id === undefined ? 400 : 404, 'no such session');
      return;
    }
    if (req.method === 'GET') {
      session.listen(res);
      return;
    }
    if (req.method !== 'DELETE') {
      refuse(res, 405, 'use POST, GET or DELETE');
      return;
    }
    await session.end('its session was ended');
    res.writeHead(200).end();
  }

  async #post(req: IncomingMessage, res: ServerResponse, known: PodSession | undefined): Promise<void> {
    const text = await bodyOf(req);
    if (text === undefined) {
      refuse(res, 413, `a message may have ${MAX_BODY_BYTES} bytes`);
      return;
    }
    const message = jsonIn(text);
    if (!isObject(message)) {
      refuse(res, 400, 'not a JSON-RPC message');
      return;
    }
    // A call that runs may wait for an answer, or be cancelled.
    if (this.#isDraining && (known === undefined || isRequest(message))) {
      refuse(res, 503, 'the pod is stopping');
      return;
    }
    if (known !== undefined) {
      known.take(message, text, res);
      return;
    }
    if (req.headers['mcp-session-id'] !== undefined) {
      refuse(res, 404, 'no such session');
      return;
    }
    if (message['method'] !== 'initialize') {
      refuse(res, 400, 'a session begins with initialize');
      return;
    }
    if (this.#sessions.size >= this.#parts.maxSessions) {
      refuse(res, 429, `as many processes run as may (${this.#parts.maxSessions})`);
      return;
    }
    const id = randomUUID();
    let session: PodSession;
    try {
      session = new PodSession(id, this.#parts, () => this.#sessions.delete(id));
    } catch (error) {
      refuse(res, 503, `the process cannot begin: ${messageOf(error)}`);
      return;
    }
    this.#sessions.set(id, session);
    session.take(message, text, res);
  }
}

function isRequest({ method, id }: JsonObject): boolean {
  return method !== undefined && id !== undefined;
}

/** @returns undefined if it is too large */
async function bodyOf(req: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function listen(server: Server, { host, port }: Place): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    // Without a host, Node.js takes `::`, which IPv4 reaches too, and 0.0.0.0 where the kernel has no IPv6.
    server.listen({ port, ...(host !== '::' && { host }) }, () => {
      server.off('error', reject);
      const { address, port: taken, family } = server.address() as AddressInfo;
      resolve(`${family === 'IPv6' ? `[${address}]` : address}:${taken}`);
    });
  });
}
