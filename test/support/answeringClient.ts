import {
  Client as NewerClient,
  StreamableHTTPClientTransport as NewerTransport,
} from '@modelcontextprotocol/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CreateMessageRequestSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { toldIn } from './talkingClient.ts';

const CAPABILITIES = { elicitation: { form: {}, url: {} }, sampling: {} };
const ACTIONS = ['accept', 'decline', 'cancel'] as const;

export type Revision = '2025-11-25' | '2026-07-28';
interface Elicitation {
  readonly message: string;
  readonly mode?: string | undefined;
  readonly url?: string;
}
interface Sampling {
  readonly messages: readonly { readonly content: unknown }[];
}
interface Call {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

/** A client of an official SDK that answers every question as itself: by its name, and by URL with its action. */
export class AnsweringClient {
  readonly name: string;
  readonly action: (typeof ACTIONS)[number];
  /** The names, or the addresses, that it was asked about. */
  heard: readonly string[] = [];
  close: () => Promise<void> = () => Promise.resolve();
  #onAsked: () => Promise<void> = () => Promise.resolve();
  #call: (call: Call) => Promise<object> = () => Promise.reject(new Error('not connected'));

  private constructor(name: string, action: AnsweringClient['action']) {
    this.name = name;
    this.action = action;
  }

  /** @param at its number among the clients; it decides on the action
   *  @throws when another revision is negotiated */
  static async connect(url: string, revision: Revision, name: string, at: number): Promise<AnsweringClient> {
    const client = new AnsweringClient(name, ACTIONS[at % ACTIONS.length]!);
    const address = new URL(url);
    const negotiated =
      revision === '2025-11-25'
        ? await client.#connectOlder(new OlderTransport(address))
        : await client.#connectNewer(new NewerTransport(address, { requestInit: callerOf(name) }));
    if (negotiated !== revision) throw new Error(`negotiated ${negotiated ?? 'nothing'}`);
    return client;
  }

  /** Forgets the questions so far. @param onAsked awaited before each answer from now on */
  begin(onAsked: () => Promise<void>): void {
    this.heard = [];
    this.#onAsked = onAsked;
  }

  /** Calls a server's tool through `call_tool`. @returns the text of its result */
  async call(name: string, args: Readonly<Record<string, unknown>>): Promise<unknown> {
    const result = await this.#call({ name: 'call_tool', arguments: { name, arguments: args } });
    return toldIn({ result: { ...result } });
  }

  /** @modelcontextprotocol/sdk 1.x */
  async #connectOlder(transport: OlderTransport): Promise<string | undefined> {
    const client = new OlderClient({ name: this.name, version: '1' }, { capabilities: CAPABILITIES });
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => this.#elicit(params));
    client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => this.#sample(params));
    this.#call = (call) => client.callTool(call);
    this.close = () => client.close();
    await client.connect(transport);
    return transport.protocolVersion;
  }

  /** @modelcontextprotocol/client 2.x */
  async #connectNewer(transport: NewerTransport): Promise<string | undefined> {
    const client = new NewerClient(
      { name: this.name, version: '1' },
      { capabilities: CAPABILITIES, versionNegotiation: { mode: { pin: '2026-07-28' } } },
    );
    client.setRequestHandler('elicitation/create', ({ params }) => this.#elicit(params));
    client.setRequestHandler('sampling/createMessage', ({ params }) => this.#sample(params));
    this.#call = (call) => client.callTool(call);
    this.close = () => client.close();
    await client.connect(transport);
    return client.getNegotiatedProtocolVersion();
  }

  #hear(what: string): Promise<void> {
    this.heard = [...this.heard, what];
    return this.#onAsked();
  }

  async #elicit({ message, mode, url }: Elicitation) {
    await this.#hear(url ?? message);
    if (mode === 'url') return { action: this.action };
    return { action: 'accept' as const, content: { who: this.name } };
  }

  async #sample({ messages }: Sampling) {
    await this.#hear((messages[0]?.content as { readonly text: string }).text);
    const content = { type: 'text' as const, text: this.name };
    return { role: 'assistant' as const, model: 'm', content };
  }
}

/** A client without a session is known by its caller. */
function callerOf(name: string): RequestInit {
  return { headers: { 'x-caller': `test ${name}` } };
}
