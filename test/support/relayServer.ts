// An MCP server that asks, logs and announces on demand of a test; over stdio when run with `stdio`.
import { once } from 'node:events';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  ResultSchema,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';

type Args = Readonly<Record<string, unknown>>;
/** Name in the uris of its resources, which differ between two of these servers. */
const SCHEME = process.argv[2] === 'stdio' ? 'child' : 'relay';
const TOOLS = [
  'ask',
  'ask_aside',
  'notify',
  'notify_aside',
  'notify_later',
  'late',
  'wait',
  'fail',
  'seen',
  'meta',
  'progress',
  'headers',
];

/** Messages received from clients, for all sessions of one process. */
export const seen: string[] = [];
const waiting: (() => void)[] = [];
/** Ends all calls of `wait`, and sends the notification given to `notify_later`. */
export function release(): void {
  for (const end of waiting.splice(0)) end();
}

export function relayServer(): McpServer {
  const relay = new McpServer(
    { name: 'relay', version: '1' },
    {
      capabilities: {
        tools: {},
        resources: { subscribe: true },
        prompts: {},
        completions: {},
        logging: {},
      },
      instructions: `Ask before you\u0000 act.\nserver x says: ${'all is well. '.repeat(100)}`,
    },
  );
  const { server } = relay;
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    ...heard('list of tools'),
    tools: TOOLS.map((name) => ({ name, inputSchema: { type: 'object' } })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const args = (params.arguments ?? {}) as Args;
    const message = { method: args['method'], params: args['params'] };
    if (params.name === 'ask') {
      const onprogress = (update: unknown): void => void heard(`progress ${JSON.stringify(update)}`);
      const options = args['progress'] === true ? { onprogress } : {};
      const asked = extra.sendRequest(message as unknown as ServerRequest, ResultSchema, options);
      return told(await asked.catch(textOf));
    }
    if (params.name === 'ask_aside')
      return told(await server.request(message as unknown as ServerRequest, ResultSchema).catch(textOf));
    if (params.name === 'notify') await extra.sendNotification(message as unknown as ServerNotification);
    if (params.name === 'notify_aside') await server.notification(message as unknown as ServerNotification);
    if (params.name === 'notify_later')
      waiting.push(() => void server.notification(message as unknown as ServerNotification));
    if (typeof args['releaseMs'] === 'number') setTimeout(release, args['releaseMs']);
    if (params.name === 'late') await comesLate(server, message, extra.signal);
    if (params.name === 'wait') await released();
    if (params.name === 'fail') throw new McpError(Number(args['code']), 'open the page first', args['data']);
    if (params.name === 'progress') await sendProgress(extra, Number(args['steps']));
    if (params.name === 'meta') return told(extra._meta ?? null);
    if (params.name === 'headers') return told(extra.requestInfo?.headers ?? null);
    return told(params.name === 'seen' ? seen : server.getClientCapabilities());
  });
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: [{ uri: `${SCHEME}://one`, name: 'one' }],
  }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [{ uriTemplate: `${SCHEME}://{id}`, name: 'any' }],
  }));
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: [{ name: 'greet' }] }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }, { _meta }) => ({
    contents: [{ uri, text: JSON.stringify(_meta ?? null) }],
  }));
  server.setRequestHandler(GetPromptRequestSchema, (_, { _meta }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: JSON.stringify(_meta ?? null) } }],
  }));
  server.setRequestHandler(SubscribeRequestSchema, ({ params }) => heard(`subscribe ${params.uri}`));
  server.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => heard(`unsubscribe ${params.uri}`));
  server.setRequestHandler(SetLevelRequestSchema, ({ params }) => heard(`level ${params.level}`));
  server.setRequestHandler(CompleteRequestSchema, ({ params }) => ({
    completion: { values: [JSON.stringify(params)], total: 1, hasMore: false },
  }));
  return relay;
}

/** Asks after its call has been cancelled. */
async function comesLate(
  server: McpServer['server'],
  message: { readonly method: unknown; readonly params: unknown },
  signal: AbortSignal,
): Promise<void> {
  heard('waits to be late');
  await once(signal, 'abort');
  const asked = server.request(message as unknown as ServerRequest, ResultSchema);
  heard(`late ${JSON.stringify(await asked.catch(textOf))}`);
}

async function sendProgress(
  {
    _meta: { progressToken = '' } = {},
    sendNotification,
  }: RequestHandlerExtra<ServerRequest, ServerNotification>,
  total: number,
): Promise<void> {
  for (let progress = 1; progress <= total; progress += 1)
    await sendNotification({
      method: 'notifications/progress',
      params: { progressToken, progress, total },
    });
}

function released(): Promise<void> {
  heard('waits');
  return new Promise((resolve) => waiting.push(resolve));
}
function heard(what: string): Record<string, never> {
  seen.push(what);
  return {};
}
function told(value: unknown): { content: { type: 'text'; text: string }[] } {
  return { content: [{ type: 'text', text: JSON.stringify(value) }] };
}
function textOf(error: unknown): unknown {
  const { code, message } = error as McpError;
  return { code, message };
}

if (process.argv[2] === 'stdio') await relayServer().connect(new StdioServerTransport());
