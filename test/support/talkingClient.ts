import { eventually } from '../contract/index.ts';
import { MCP_HEADERS } from './edge.ts';

type Json = Readonly<Record<string, unknown>>;
export interface Heard {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Json;
  readonly result?: Json;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Json };
}
/** One POST and the messages on its stream so far. */
export interface Exchange {
  readonly id: number;
  readonly heard: readonly Heard[];
  /** The answer. @throws after `withinMs` */
  answer(): Promise<Heard>;
}

/** A client that reads its streams as they arrive, so that it can answer questions in between. */
export class TalkingClient {
  readonly url: string;
  readonly headers: Record<string, string> = { ...MCP_HEADERS };
  /** Messages on the standing stream. */
  readonly aside: Heard[] = [];
  /** Receives the data of every event. */
  onText: (data: string) => void = () => undefined;
  /** @returns the JSON text of `"result":…` or `"error":…`, or undefined to send no answer */
  onAsked: (asked: Heard) => string | undefined = () => undefined;
  #lastId = 0;
  readonly #leaving = new AbortController();

  private constructor(url: string) {
    this.url = `${url}/mcp`;
  }

  /** @param headers more of every request */
  static async connect(
    url: string,
    capabilities: object = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<TalkingClient> {
    const client = new TalkingClient(url);
    Object.assign(client.headers, headers);
    const clientInfo = { name: 'talking', version: '1' };
    const params = { protocolVersion: '2025-11-25', capabilities, clientInfo };
    const response = await client.post({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
    client.headers['mcp-session-id'] = response.headers.get('mcp-session-id') ?? '';
    client.headers['mcp-protocol-version'] = '2025-11-25';
    await response.arrayBuffer();
    await (await client.post({ jsonrpc: '2.0', method: 'notifications/initialized' })).arrayBuffer();
    return client;
  }

  post(body: unknown): Promise<Response> {
    return fetch(this.url, {
      method: 'POST',
      headers: this.headers,
      body: typeof body === 'string' ? body : JSON.stringify(body),
      signal: this.#leaving.signal,
    });
  }

  request(method: string, params: Json = {}, withinMs = 5_000): Exchange {
    const id = ++this.#lastId;
    const heard: Heard[] = [];
    const reading = this.post({ jsonrpc: '2.0', id, method, params }).then((response) =>
      this.#read(response, heard),
    );
    reading.catch(() => undefined);
    const find = (): Heard | undefined => heard.find((one) => one.id === id && one.method === undefined);
    return { id, heard, answer: () => eventually(find, `answer ${id} to ${method}`, withinMs) };
  }

  call(name: string, args: Json = {}): Exchange {
    return this.request('tools/call', { name: 'call_tool', arguments: { name, arguments: args } });
  }
  /** The parsed text of a call's result. */
  async told(name: string, args: Json = {}): Promise<unknown> {
    return toldIn(await this.call(name, args).answer());
  }

  /** The standing stream; resolves once it is open. */
  async listen(): Promise<void> {
    const response = await fetch(this.url, { headers: this.headers, signal: this.#leaving.signal });
    this.#read(response, this.aside).catch(() => undefined);
  }

  async notify(method: string, params: Json): Promise<void> {
    await (await this.post({ jsonrpc: '2.0', method, params })).arrayBuffer();
  }

  /** Drops every connection; the session continues. */
  leave(): void {
    this.#leaving.abort();
  }

  async #read(response: Response, heard: Heard[]): Promise<void> {
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    let rest = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      rest += decoder.decode(chunk as Uint8Array, { stream: true });
      if (!isStream) continue;
      const events = rest.split('\n\n');
      rest = events.pop() ?? '';
      for (const event of events) this.#take(event, heard);
    }
    if (!isStream && rest !== '') heard.push(JSON.parse(rest) as Heard);
  }

  #take(event: string, heard: Heard[]): void {
    const data = event.split('\n').find((line) => line.startsWith('data: '));
    if (data === undefined || data === 'data: ') return;
    this.onText(data.slice(6));
    const message = JSON.parse(data.slice(6)) as Heard;
    heard.push(message);
    if (message.method === undefined || message.id === undefined) return;
    const answer = this.onAsked(message);
    if (answer === undefined) return;
    void this.post(`{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},${answer}}`).then((response) =>
      response.arrayBuffer(),
    );
  }
}

export function toldIn({ result, error }: Heard): unknown {
  if (result === undefined) throw new Error(`no result: ${JSON.stringify(error)}`);
  const [first] = result['content'] as readonly { readonly text: string }[];
  try {
    return JSON.parse(first?.text ?? 'null') as unknown;
  } catch {
    return first?.text;
  }
}
