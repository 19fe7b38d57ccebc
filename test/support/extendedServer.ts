// An MCP server that uses what extensions add: `_meta`, icons, links, tasks, an app, a skill. Over stdio when run with `stdio`.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CallToolRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';

const icons = [{ src: 'https://example.com/icon.png', mimeType: 'image/png', sizes: ['48x48'] }];
const extra = { 'example.com/extra': { list: [1, null] } };
/** The name in the uris of its resources, which differ between two of these servers. */
const HOST = process.argv[2] === 'stdio' ? 'child' : 'web';

export const TASK = {
  taskId: 'task-1',
  status: 'working',
  ttl: 60_000,
  createdAt: '2026-01-01T00:00:00Z',
  lastUpdatedAt: '2026-01-01T00:00:00Z',
} as const;

export const FULL_TOOL = {
  name: 'full',
  title: 'Everything declared',
  description: 'Answers with everything that a result may hold.',
  inputSchema: { type: 'object' },
  outputSchema: { type: 'object', properties: { sum: { type: 'number' } } },
  annotations: { readOnlyHint: true, 'example.com/hint': true },
  execution: { taskSupport: 'optional' },
  icons,
  _meta: extra,
};
export const APP_TOOL = {
  name: 'app',
  inputSchema: { type: 'object' },
  _meta: { ui: { resourceUri: `ui://${HOST}/page`, visibility: ['model', 'app'] } },
};
export const APP_PAGE = {
  uri: `ui://${HOST}/page`,
  name: 'page',
  mimeType: 'text/html;profile=mcp-app',
  _meta: { ui: { prefersBorder: true } },
};
export const RESOURCE = {
  uri: `shelf://${HOST}/one`,
  name: 'one',
  title: 'One',
  mimeType: 'text/plain',
  size: 7,
  annotations: { audience: ['user'], priority: 0.5 },
  icons,
  _meta: extra,
};
export const TEMPLATE = {
  uriTemplate: `shelf://${HOST}/{id}`,
  name: 'any',
  title: 'Any',
  annotations: { priority: 1 },
  icons,
  _meta: extra,
};
export const PROMPT = {
  name: 'greet',
  title: 'Greet',
  arguments: [{ name: 'who', required: false }],
  icons,
  _meta: extra,
};
export const SKILL = { uri: `skill://${HOST}/pdf/SKILL.md`, name: 'pdf', mimeType: 'text/markdown' };

/** All that a result may hold. Its links name resources as the server does. */
export const FULL_RESULT = {
  content: [
    { type: 'text', text: 'seven', annotations: { priority: 1 }, _meta: extra },
    { type: 'resource_link', ...RESOURCE },
    { type: 'resource', resource: { uri: RESOURCE.uri, text: 'content', _meta: extra }, _meta: extra },
  ],
  structuredContent: { sum: 7 },
  'example.com/member': [1],
  _meta: extra,
};
export const READ = { contents: [{ uri: RESOURCE.uri, text: 'content', _meta: extra }], _meta: extra };

export function extendedServer(): McpServer {
  const extended = new McpServer(
    { name: 'extended', version: '1' },
    {
      capabilities: {
        tools: {},
        resources: {},
        prompts: {},
        tasks: { requests: { tools: { call: {} } } },
        extensions: {
          'io.modelcontextprotocol/skills': {},
          'io.modelcontextprotocol/ui': {},
          'example.com/extra': { deep: 1 },
        },
      },
    },
  );
  const { server } = extended;
  const plain = ['meta', 'caps', 'task', 'newer_task', 'no_task'];
  const tools = [FULL_TOOL, APP_TOOL, ...plain.map((name) => ({ name, inputSchema: { type: 'object' } }))];
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, ({ params: { name } }, { _meta }) => {
    if (name === 'full') return FULL_RESULT;
    // The SDK adds an empty `content`.
    if (name === 'task') return { task: TASK };
    if (name === 'newer_task') return { resultType: 'task', ...TASK };
    if (name === 'no_task') return { content: [], structuredContent: { taskId: '7' }, task: { taskId: '7' } };
    if (name === 'caps') return told(server.getClientCapabilities());
    return told(_meta ?? null);
  });
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: [RESOURCE, APP_PAGE, SKILL],
  }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [TEMPLATE] }));
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: [PROMPT] }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }, { _meta }) =>
    uri === RESOURCE.uri ? READ : { contents: [{ uri, text: JSON.stringify(_meta ?? null) }] },
  );
  server.setRequestHandler(GetPromptRequestSchema, (_, { _meta }) => ({
    messages: [{ role: 'user', content: told(_meta ?? null).content[0] }],
    _meta: extra,
  }));
  return extended;
}

function told(value: unknown): { content: [{ type: 'text'; text: string }] } {
  return { content: [{ type: 'text', text: JSON.stringify(value) }] };
}

if (process.argv[2] === 'stdio') await extendedServer().connect(new StdioServerTransport());
