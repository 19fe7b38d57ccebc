import type { JsonObject, ToolResult } from '../../kernel/index.ts';

const REVISION = '2025-11-25';

/** One session over streamable HTTP. */
export interface McpClient {
  /** The result of initialize. */
  readonly initialized: JsonObject;
  /** @throws Error with the HTTP status or the JSON-RPC error */
  request(method: string, params?: JsonObject): Promise<JsonObject>;
  /** The meta-tools' names. */
  listTools(): Promise<readonly string[]>;
  /** Calls a meta-tool by name. */
  callMeta(name: string, args?: JsonObject): Promise<ToolResult>;
  /** Calls any other tool, through `call_tool`. */
  callTool(name: string, args?: JsonObject): Promise<ToolResult>;
  /** DELETE. */
  close(): Promise<void>;
}

/** Opens a session. @param url of the gateway, without path  @param headers sent with every request
 *  @throws Error with the HTTP status when it is refused */
export async function mcpClient(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<McpClient> {
  const endpoint = `${url}/mcp`;
  const own: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headers,
  };
  let lastId = 0;
  const send = (message: JsonObject): Promise<Response> =>
    fetch(endpoint, {
      method: 'POST',
      headers: own,
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
  const request = async (method: string, params: JsonObject = {}): Promise<JsonObject> => {
    const id = ++lastId;
    const answer = await send({ id, method, params });
    const opened = answer.headers.get('mcp-session-id');
    if (opened !== null) own['mcp-session-id'] = opened;
    return resultIn(answer.status, await messagesIn(answer), id);
  };
  const clientInfo = { name: 'pegboard-testing', version: '1' };
  const initialized = await request('initialize', {
    protocolVersion: REVISION,
    capabilities: {},
    clientInfo,
  });
  own['mcp-protocol-version'] = REVISION;
  await (await send({ method: 'notifications/initialized' })).arrayBuffer();
  const callMeta = async (name: string, args: JsonObject = {}): Promise<ToolResult> =>
    (await request('tools/call', { name, arguments: args })) as unknown as ToolResult;
  return {
    initialized,
    request,
    listTools: async () => {
      const { tools } = await request('tools/list');
      return (tools as readonly { readonly name: string }[]).map(({ name }) => name);
    },
    callMeta,
    callTool: (name, args = {}) => callMeta('call_tool', { name, arguments: args }),
    close: async () => {
      await (await fetch(endpoint, { method: 'DELETE', headers: own })).arrayBuffer();
    },
  };
}

/** The JSON-RPC messages of a JSON or event-stream body, in order. */
export async function messagesIn(answer: Response): Promise<readonly JsonObject[]> {
  const text = await answer.text();
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  if (!isStream) return text === '' ? [] : [JSON.parse(text) as JsonObject];
  // An event without data only carries an id.
  const data = text.split('\n').filter((line) => /^data: ?\S/.test(line));
  return data.map((line) => JSON.parse(line.slice('data:'.length)) as JsonObject);
}

function resultIn(status: number, messages: readonly JsonObject[], id: number): JsonObject {
  const answer = messages.find((message) => message['id'] === id && !('method' in message));
  if (answer?.['result'] !== undefined) return answer['result'] as JsonObject;
  throw new Error(`HTTP ${status}: ${JSON.stringify(answer ?? messages)}`);
}
