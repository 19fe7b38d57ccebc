import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  CreateMessageResultSchema,
  ElicitResultSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { PROMPTS, promptMessages } from './fixturePrompts.ts';
import { RESOURCES, TEMPLATES, readFixture } from './fixtureResources.ts';
import { TOOLS, runTool } from './fixtureTools.ts';

/** What the official suite expects to find on a server, as one MCP server. Source: the suite's scenario descriptions. */
export function fixtureServer(): McpServer {
  const fixture = new McpServer(
    { name: 'conformance-fixture', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        logging: {},
        completions: {},
      },
      instructions: 'Names that begin with test_ are what the suite looks for.',
    },
  );
  const { server } = fixture;
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...TOOLS] }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { sendNotification, sendRequest, _meta }) =>
    runTool(params.name, params.arguments ?? {}, {
      progressToken: _meta?.progressToken,
      log: (data) => sendNotification({ method: 'notifications/message', params: { level: 'info', data } }),
      progress: (progress, progressToken) =>
        sendNotification({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 100 },
        }),
      sample: (text) =>
        sendRequest(
          {
            method: 'sampling/createMessage',
            params: { messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens: 100 },
          },
          CreateMessageResultSchema,
        ),
      elicit: (message, requestedSchema) =>
        sendRequest(
          { method: 'elicitation/create', params: { message, requestedSchema } },
          ElicitResultSchema,
        ),
    }),
  );
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [...RESOURCES] }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [...TEMPLATES] }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => readFixture(params.uri));
  server.setRequestHandler(SubscribeRequestSchema, () => ({}));
  server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: [...PROMPTS] }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => ({
    messages: promptMessages(params.name, params.arguments ?? {}),
  }));
  server.setRequestHandler(CompleteRequestSchema, ({ params }) => {
    const values = ['paris', 'park', 'party'].filter((word) => word.startsWith(params.argument.value));
    return { completion: { values, total: values.length, hasMore: false } };
  });
  return fixture;
}
