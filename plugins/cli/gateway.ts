import { readFile } from 'node:fs/promises';
import { VERSION, isObject, messageOf } from 'pegboard';
import type { Invocation, JsonObject } from 'pegboard';
import type { CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { optionsOf } from './commonOptions.ts';
import { endpointOf } from './endpointOf.ts';
import type { NamedEndpoint } from './endpointOf.ts';
import { Failure, NoGateway } from './failure.ts';
import { RememberedSession } from './rememberedSession.ts';

const SIGN_IN_NEEDED = 2;

export type Result = CallToolResult;
export interface CallOptions {
  readonly progress?: (words: string) => void;
  readonly meta?: JsonObject;
}

/** A running gateway, over MCP. */
export class Gateway {
  readonly endpoint: NamedEndpoint;
  readonly client: Client;
  readonly #invocation: Invocation;

  private constructor(endpoint: NamedEndpoint, client: Client, invocation: Invocation) {
    this.endpoint = endpoint;
    this.client = client;
    this.#invocation = invocation;
  }

  /** Connects, lets `use` work, and disconnects. The session is the one of earlier verbs, so that their runs and results are
   *  visible. @throws Failure */
  static async with<T>(invocation: Invocation, use: (gateway: Gateway) => Promise<T>): Promise<T> {
    const endpoint = await endpointOf(invocation);
    const session = new RememberedSession(invocation.directory, endpoint.url);
    const known = await session.id();
    let connection = known === undefined ? undefined : await resumed(invocation, endpoint, known);
    if (connection === undefined) {
      connection = await connect(invocation, endpoint);
      const { sessionId } = connection.transport;
      if (sessionId !== undefined) await session.remember(sessionId);
    }
    try {
      return await use(new Gateway(endpoint, connection.client, invocation));
    } finally {
      await connection.client.close();
    }
  }

  /** As with(), in a session of its own with a stream for notifications. @throws Failure */
  static async apart<T>(invocation: Invocation, use: (gateway: Gateway) => Promise<T>): Promise<T> {
    const endpoint = await endpointOf(invocation);
    const { client, transport } = await connect(invocation, endpoint);
    try {
      return await use(new Gateway(endpoint, client, invocation));
    } finally {
      await transport.terminateSession().catch(() => undefined);
      await client.close();
    }
  }

  /** Calls a meta-tool. @throws Failure if it is cancelled, or the gateway is gone */
  async meta(name: string, args: JsonObject = {}, { progress, meta }: CallOptions = {}): Promise<Result> {
    const { cancel, terminal } = this.#invocation;
    const abort = new AbortController();
    const unlisten = cancel.onCancel((reason) => abort.abort(reason));
    const { timeout } = optionsOf(this.#invocation);
    try {
      return await this.client.callTool(
        { name, arguments: args, ...(meta !== undefined && { _meta: meta }) },
        {
          signal: abort.signal,
          timeout: Number(timeout) * 1_000,
          resetTimeoutOnProgress: true,
          ...(progress && { onprogress: (said) => progress(progressWords(said)) }),
        },
      );
    } catch (error) {
      if (cancel.reason === undefined) throw new Failure(messageOf(error));
      terminal.err('cancelled at the gateway\n');
      throw new Failure('interrupted');
    } finally {
      unlisten();
    }
  }

  /** Calls any tool by name, through call_tool. */
  async call(name: string, args: JsonObject = {}, options: CallOptions = {}): Promise<Result> {
    return unwrapped(await this.meta('call_tool', { name, arguments: args }, options));
  }

  /** The JSON object that a meta-tool answers with. @throws Failure with the tool's own words */
  async read(name: string, args: JsonObject = {}): Promise<JsonObject> {
    return objectOf(await this.meta(name, args));
  }

  /** The JSON object that a core tool answers with. @throws Failure with the tool's own words */
  async readCore(name: string, args: JsonObject = {}): Promise<JsonObject> {
    return objectOf(await this.call(name, args));
  }
}

interface Connection {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
}

/** @throws Failure that says why there is no connection */
async function connect(
  invocation: Invocation,
  endpoint: NamedEndpoint,
  sessionId?: string,
): Promise<Connection> {
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const { toolset, debug } = optionsOf(invocation);
  const client = new Client({ name: 'pegboard-cli', version: VERSION }, { capabilities: {} });
  const url = new URL(endpoint.url);
  const headers = toolset === undefined ? {} : { 'X-Service-Toolset': toolset };
  const transport = new StreamableHTTPClientTransport(url, {
    requestInit: { headers, ...(await trusting(invocation, url)) },
    ...(sessionId !== undefined && { sessionId }),
  });
  if (debug === true) showMessages(transport, (line) => invocation.terminal.err(`${line}\n`));
  try {
    await client.connect(transport);
    if (sessionId !== undefined) await client.ping();
  } catch (error) {
    await client.close();
    throw unreachable(error, endpoint);
  }
  return { client, transport };
}

/** Undefined if the gateway does not know the session any more; why it cannot be reached is said by the next attempt. */
async function resumed(
  invocation: Invocation,
  endpoint: NamedEndpoint,
  sessionId: string,
): Promise<Connection | undefined> {
  try {
    return await connect(invocation, endpoint, sessionId);
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

/** The texts of a result. */
export function textOf({ content }: Result): string {
  return content.flatMap((item) => (item.type === 'text' ? [item.text] : [])).join('\n');
}

/** call_tool may be set to answer with an envelope: `{isError, content}` as text. */
function unwrapped(result: Result): Result {
  const [only, ...others] = result.content;
  if (only?.type !== 'text' || others.length > 0 || !only.text.startsWith('{"isError":')) return result;
  const inner: unknown = JSON.parse(only.text);
  return isObject(inner) && Array.isArray(inner['content']) ? (inner as unknown as Result) : result;
}

function objectOf(result: Result): JsonObject {
  const text = textOf(result);
  if (result.isError === true) throw new Failure(text);
  if (isObject(result.structuredContent)) return result.structuredContent;
  const value: unknown = text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : undefined;
  if (Array.isArray(value)) return { items: value as unknown[] };
  if (isObject(value)) return value;
  throw new Failure(`the gateway answered with text instead of JSON: ${text.slice(0, 200)}`);
}

function progressWords({ progress, total, message }: Progress): string {
  const part = total === undefined ? String(progress) : `${Math.round((100 * progress) / total)} %`;
  return message === undefined ? part : `${part} ${message}`;
}
interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** Node reads NODE_EXTRA_CA_CERTS at its start only, so fetch gets a pool that trusts the file. */
async function trusting(invocation: Invocation, { origin }: URL): Promise<RequestInit> {
  const { extraCaFile } = optionsOf(invocation);
  if (extraCaFile === undefined) return {};
  const own = await readFile(extraCaFile, 'utf8').catch((error: unknown) => {
    throw new Failure(`--extra-ca-file: ${messageOf(error)}`);
  });
  const [{ rootCertificates }, { Pool }] = await Promise.all([import('node:tls'), import('undici')]);
  return { dispatcher: new Pool(origin, { connect: { ca: [...rootCertificates, own] } }) } as object;
}

function unreachable(error: unknown, { url, source, isOwn }: NamedEndpoint): Failure {
  const status = (error as { readonly data?: { readonly status?: number } }).data?.status;
  const reason = reasonOf(error);
  if (status === 401 || /unauthorized/i.test(reason))
    return new Failure(`${url} wants a sign-in (${source})`, SIGN_IN_NEEDED);
  if (/CERT|certificate|self.signed/i.test(reason))
    return new Failure(`${url}: ${reason}; name the authority's PEM file with --extra-ca-file (${source})`);
  if (/ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ECONNRESET/.test(reason)) {
    const fix = isOwn ? 'start it with: pegboard serve' : 'is the address right, and is it running?';
    return new NoGateway(`no gateway answers at ${url} (${source}): ${reason}; ${fix}`);
  }
  return new Failure(`${url} does not answer as an MCP server (${source}): ${reason}`);
}

/** fetch hides the reason in its cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const inner = cause instanceof AggregateError ? (cause.errors as unknown[])[0] : cause;
  return inner === undefined ? messageOf(error) : messageOf(inner);
}

const SECRET_KEY = /token|secret|password|authorization|api.?key|^(env|headers)$/i;

function showMessages(transport: StreamableHTTPClientTransport, write: (line: string) => void): void {
  const text = (message: unknown): string =>
    JSON.stringify(message, (key, value: unknown) => (SECRET_KEY.test(key) ? '[redacted]' : value));
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    write(`→ ${text(message)}`);
    return send(message, options);
  };
  let receive: typeof transport.onmessage;
  Object.defineProperty(transport, 'onmessage', {
    get: () =>
      receive === undefined
        ? undefined
        : (message: never) => {
            write(`← ${text(message)}`);
            receive?.(message);
          },
    set: (next: typeof transport.onmessage) => (receive = next),
  });
}
