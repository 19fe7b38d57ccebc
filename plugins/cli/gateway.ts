import { VERSION, isObject, messageOf, waitAtMost } from 'pegboard';
import type { Invocation, JsonObject } from 'pegboard';
import type { CallToolResult, Client, Transport } from '@modelcontextprotocol/client';
import { CLIENT_HEADER } from '../contracts/operators.ts';
import { REMEDY_KEY, readRemedy, remedyWords } from '../kit/faults/remedy.ts';
import { jsonIn } from '../kit/text/jsonIn.ts';
import { optionsOf } from './commonOptions.ts';
import { endpointOf } from './endpointOf.ts';
import type { NamedEndpoint } from './endpointOf.ts';
import { Failure } from './failure.ts';
import { openTransport } from './openTransport.ts';
import { RememberedSession } from './rememberedSession.ts';
import { gatewayUnreachable } from './gatewayUnreachable.ts';
import { wholeResult } from './wholeResult.ts';

/** How long a gateway may take for the first answer, if --timeout is not shorter. */
const CONNECT_MS = 60_000;
const DELIVERY_MS = 5_000;

export type Result = CallToolResult;
export interface GatewayCallOptions {
  readonly progress?: (words: string) => void;
  readonly meta?: JsonObject;
}

export type SessionTransport = Transport & { terminateSession(): Promise<void> };

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
  static async connected<T>(invocation: Invocation, use: (gateway: Gateway) => Promise<T>): Promise<T> {
    const endpoint = await endpointOf(invocation);
    const session = new RememberedSession(invocation.directory, endpoint.url);
    const known = await session.id();
    let client = known === undefined ? undefined : await resumed(invocation, endpoint, known);
    if (client === undefined) {
      const transport = await openHere(invocation, endpoint);
      client = await connect(invocation, transport, endpoint);
      if (transport.sessionId !== undefined) await session.remember(transport.sessionId);
    }
    try {
      return await use(new Gateway(endpoint, client, invocation));
    } finally {
      await client.close();
    }
  }

  /** As with(), in a session of its own with a stream for notifications. @param open makes the transport @throws Failure */
  static async apart<T>(
    invocation: Invocation,
    use: (gateway: Gateway) => Promise<T>,
    open: (invocation: Invocation, endpoint: NamedEndpoint) => Promise<SessionTransport> = openHere,
  ): Promise<T> {
    const endpoint = await endpointOf(invocation);
    const transport = await open(invocation, endpoint);
    const client = await connect(invocation, transport, endpoint);
    try {
      return await use(new Gateway(endpoint, client, invocation));
    } finally {
      await transport.terminateSession().catch(() => undefined);
      await client.close();
    }
  }

  /** Calls a meta-tool. @throws Failure if it is cancelled, or the gateway is gone */
  async meta(
    name: string,
    args: JsonObject = {},
    { progress, meta }: GatewayCallOptions = {},
  ): Promise<Result> {
    try {
      return await abortable(this.#invocation, (asked) =>
        this.client.callTool(
          { name, arguments: args, ...(meta !== undefined && { _meta: meta }) },
          {
            ...asked,
            resetTimeoutOnProgress: true,
            ...(progress && { onprogress: (said) => progress(progressWords(said)) }),
          },
        ),
      );
    } catch (error) {
      throw new Failure(this.#invocation.cancel.reason === undefined ? messageOf(error) : 'interrupted');
    }
  }

  /** Calls any tool by name, through call_tool; says so if the call is cancelled. @throws Failure */
  async call(name: string, args: JsonObject = {}, options: GatewayCallOptions = {}): Promise<Result> {
    const { cancel, terminal } = this.#invocation;
    try {
      return unwrapped(await this.meta('call_tool', { name, arguments: args }, options));
    } catch (error) {
      if (cancel.reason !== undefined) terminal.err('cancelled at the gateway\n');
      throw error;
    }
  }

  /** The JSON object that a meta-tool answers with. @throws Failure with the tool's own words */
  async read(name: string, args: JsonObject = {}): Promise<JsonObject> {
    return objectOf(await wholeResult(this, await this.meta(name, args)));
  }

  /** The JSON object that a core tool answers with. @throws Failure with the tool's own words */
  async readCore(name: string, args: JsonObject = {}): Promise<JsonObject> {
    const result = unwrapped(await this.meta('call_tool', { name, arguments: args }));
    return objectOf(await wholeResult(this, result));
  }

  /** The JSON object that is the text of a resource. @throws Failure if it is not there, or the gateway is gone */
  async resource(uri: string): Promise<JsonObject> {
    try {
      const { contents } = await abortable(this.#invocation, (asked) =>
        this.client.readResource({ uri }, asked),
      );
      const [content] = contents;
      const value: unknown = JSON.parse(content !== undefined && 'text' in content ? content.text : 'null');
      if (isObject(value)) return value;
    } catch (error) {
      throw new Failure(this.#invocation.cancel.reason === undefined ? messageOf(error) : 'interrupted');
    }
    throw new Failure(`the gateway answered ${uri} with something else than a JSON object`);
  }
}

/** @throws Failure that says why there is no connection */
async function connect(
  invocation: Invocation,
  transport: Transport,
  endpoint: NamedEndpoint,
): Promise<Client> {
  const { Client } = await import('@modelcontextprotocol/client');
  const client = new Client({ name: 'pegboard-cli', version: VERSION }, { capabilities: {} });
  try {
    // With a session id it sends nothing.
    const isResumed = transport.sessionId !== undefined;
    deliverBeforeClose(transport);
    await abortable(invocation, async ({ signal, timeout }) => {
      const asked = { signal, timeout: Math.min(timeout, CONNECT_MS) };
      await client.connect(transport, asked);
      if (isResumed) await client.ping(asked);
    });
    return client;
  } catch (error) {
    await client.close();
    if (invocation.cancel.reason !== undefined) throw new Failure('interrupted');
    throw gatewayUnreachable(error, endpoint);
  }
}

/** A person has typed the verb, and is not asked again by the gateway. */
const openHere: typeof openTransport = (invocation, endpoint, options) =>
  openTransport(invocation, endpoint, options, { [CLIENT_HEADER]: 'cli' });

interface Asked {
  readonly signal: AbortSignal;
  /** The time of --timeout in ms. */
  readonly timeout: number;
}

/** Ctrl-C aborts what `ask` does. */
async function abortable<T>(invocation: Invocation, ask: (asked: Asked) => Promise<T>): Promise<T> {
  const abort = new AbortController();
  const unlisten = invocation.cancel.onCancel((reason) => abort.abort(reason));
  try {
    return await ask({ signal: abort.signal, timeout: Number(optionsOf(invocation).timeout) * 1_000 });
  } finally {
    unlisten();
  }
}

/** A transport that is closed drops its messages, among them that a call is cancelled. */
function deliverBeforeClose(transport: Transport): void {
  const [send, close] = [transport.send.bind(transport), transport.close.bind(transport)];
  let delivered: Promise<unknown> = Promise.resolve();
  transport.send = (message, options) => {
    const sent = send(message, options);
    if (!('id' in message)) delivered = sent.catch(() => undefined);
    return sent;
  };
  transport.close = async () => {
    await waitAtMost(DELIVERY_MS, delivered);
    await close();
  };
}

/** Undefined if the gateway does not know the session any more; why it cannot be reached is said by the next attempt. */
async function resumed(
  invocation: Invocation,
  endpoint: NamedEndpoint,
  sessionId: string,
): Promise<Client | undefined> {
  try {
    return await connect(invocation, await openHere(invocation, endpoint, { sessionId }), endpoint);
  } catch (error) {
    if (error instanceof Failure && invocation.cancel.reason === undefined) return undefined;
    throw error;
  }
}

/** The texts of a result. */
export function textOf({ content }: Result): string {
  return content.flatMap((item) => (item.type === 'text' ? [item.text] : [])).join('\n');
}

/** What an error result says to a person: its cause and what to type, if it has them as data. */
export function failureText(result: Result): string {
  const remedy = readRemedy(result._meta?.[REMEDY_KEY]);
  return remedy === undefined ? textOf(result) : remedyWords(remedy, 'shell');
}

/** call_tool may be set to answer with an envelope: `{isError, content}` as text. A server's text can begin as one does, so `_meta`
 *  with the gateway's advice is the outer one. */
function unwrapped(result: Result): Result {
  const [only, ...others] = result.content;
  if (only?.type !== 'text' || others.length > 0 || !only.text.startsWith('{"isError":')) return result;
  const inner = jsonIn(only.text);
  if (!isObject(inner) || !Array.isArray(inner['content']) || !inner['content'].every(isObject))
    return result;
  const { isError, content, structuredContent } = inner as unknown as Result;
  return {
    content,
    isError: isError === true,
    ...(isObject(structuredContent) && { structuredContent }),
    ...(result._meta && { _meta: result._meta }),
  };
}

function objectOf(result: Result): JsonObject {
  const text = textOf(result);
  if (result.isError === true) throw new Failure(failureText(result));
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
