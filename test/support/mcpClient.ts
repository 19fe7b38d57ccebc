type Json = Readonly<Record<string, unknown>>;

export interface RpcMessage {
  readonly jsonrpc?: string;
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: Json;
  readonly result?: Json;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}
/** A tool's unmodified result. */
export interface ClientResult {
  readonly content: readonly Json[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
}
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The message(s) of a JSON or event-stream body, in order; empty for an empty body. */
  readonly messages: readonly RpcMessage[];
}
export interface ClientOptions {
  readonly revision?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly capabilities?: Json;
  /** Path of the endpoint; default `/mcp`. */
  readonly path?: string;
}

/** Thrown for a JSON-RPC error response. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;
  constructor({ code, message, data }: NonNullable<RpcMessage['error']>) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** A small MCP client over streamable HTTP that exposes the raw JSON-RPC messages. */
export class McpClient {
  readonly url: string;
  readonly initialized: Json;
  readonly sessionId: string | undefined;
  /** Notifications and requests that preceded answers. */
  readonly heard: RpcMessage[] = [];
  readonly #endpoint: string;
  readonly #headers: Record<string, string>;
  #lastId = 0;

  private constructor(url: string, path: string, initialized: Json, headers: Record<string, string>) {
    this.url = url;
    this.#endpoint = `${url}${path}`;
    this.initialized = initialized;
    this.sessionId = headers['mcp-session-id'];
    this.#headers = headers;
  }

  /** Initializes a session. @throws RpcError */
  static async connect(url: string, options: ClientOptions = {}): Promise<McpClient> {
    const { revision = '2025-11-25', headers = {}, capabilities = {}, path = '/mcp' } = options;
    const clientInfo = { name: 'test', version: '1' };
    const params = { protocolVersion: revision, capabilities, clientInfo };
    const answer = await post(
      `${url}${path}`,
      { jsonrpc: '2.0', id: 0, method: 'initialize', params },
      headers,
    );
    const result = resultIn(answer, 0);
    const id = answer.headers.get('mcp-session-id');
    const agreed = String(result['protocolVersion']);
    const client = new McpClient(url, path, result, {
      ...headers,
      ...(agreed >= '2025-06-18' ? { 'mcp-protocol-version': agreed } : {}),
      ...(id === null ? {} : { 'mcp-session-id': id }),
    });
    await client.notify('notifications/initialized');
    return client;
  }

  /** A session that began before, perhaps at another process. */
  static resumed(url: string, sessionId: string, headers: Readonly<Record<string, string>> = {}): McpClient {
    const own = { 'mcp-protocol-version': '2025-11-25', 'mcp-session-id': sessionId };
    return new McpClient(url, '/mcp', {}, { ...headers, ...own });
  }

  /** What each of its requests sends. */
  get headers(): Readonly<Record<string, string>> {
    return this.#headers;
  }

  /** The same session at another address. */
  movedTo(url: string): McpClient {
    return new McpClient(url, '/mcp', this.initialized, this.#headers);
  }

  /** Posts any body with this session's headers. */
  post(
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
    signal?: AbortSignal,
  ): Promise<HttpAnswer> {
    return post(this.#endpoint, body, { ...this.#headers, ...headers }, signal);
  }

  /** @throws RpcError */
  async request(method: string, params: Json = {}): Promise<Json> {
    const id = ++this.#lastId;
    const answer = await this.post({ jsonrpc: '2.0', id, method, params });
    this.heard.push(...answer.messages.filter((message) => message.method !== undefined));
    return resultIn(answer, id);
  }

  async notify(method: string, params: Json = {}): Promise<void> {
    await this.post({ jsonrpc: '2.0', method, params });
  }

  async listTools(): Promise<readonly (Json & { readonly name: string })[]> {
    const { tools } = await this.request('tools/list');
    return tools as readonly (Json & { readonly name: string })[];
  }

  /** Calls a meta-tool. @throws RpcError */
  async callMeta(name: string, args: Json = {}): Promise<ClientResult> {
    return (await this.request('tools/call', { name, arguments: args })) as unknown as ClientResult;
  }

  /** Calls any other tool, through call_tool. */
  callTool(name: string, args: Json = {}): Promise<ClientResult> {
    return this.callMeta('call_tool', { name, arguments: args });
  }

  /** Opens the standing stream. */
  listen(): Promise<Response> {
    return fetch(this.#endpoint, { headers: { ...this.#headers, accept: 'text/event-stream' } });
  }

  /** DELETE. @returns the status */
  async end(): Promise<number> {
    const answer = await fetch(this.#endpoint, { method: 'DELETE', headers: this.#headers });
    await answer.arrayBuffer();
    return answer.status;
  }
}

/** The text of a result's first text item. */
export function textOf({ content }: ClientResult): string {
  return String(content.find(({ type }) => type === 'text')?.['text']);
}

/** One POST as a client sends it; does not throw for any status. */
export async function post(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<HttpAnswer> {
  const answer = await fetch(url, {
    ...(signal && { signal }),
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, messages: messagesIn(answer.headers, text) };
}

function messagesIn(headers: Headers, text: string): RpcMessage[] {
  const type = headers.get('content-type') ?? '';
  if (type.startsWith('text/event-stream'))
    return eventsIn(text).flatMap((data) => JSON.parse(data) as RpcMessage[]);
  if (!type.startsWith('application/json') || text === '') return [];
  return [JSON.parse(text) as RpcMessage | RpcMessage[]].flat();
}

/** The data of each event of a stream that has ended. */
export function eventsIn(stream: string): string[] {
  return stream
    .split(/\r?\n\r?\n/)
    .map((event) =>
      event
        .split(/\r?\n/)
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).replace(/^ /, ''))
        .join('\n'),
    )
    .filter((data) => data !== '');
}

function resultIn({ status, text, messages }: HttpAnswer, id: number): Json {
  const answer = messages.find((message) => message.id === id && message.method === undefined);
  if (answer?.result !== undefined) return answer.result;
  if (answer?.error !== undefined) throw new RpcError(answer.error);
  const [refusal] = messages;
  if (refusal?.error !== undefined) throw new RpcError(refusal.error);
  throw new Error(`no answer to request ${id}: HTTP ${status} ${text.slice(0, 500)}`);
}
