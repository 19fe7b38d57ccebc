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
  ListRootsResultSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { ASKING_PROMPT, PROMPTS, promptMessages } from './fixturePrompts.ts';
import { field } from './fixtureQuestions.ts';
import { RESOURCES, TEMPLATES, readFixture } from './fixtureResources.ts';
import { TOOLS, runTool } from './fixtureTools.ts';

/** One MCP server with everything the official suite expects, as its scenarios describe it. */
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
      instructions: 'The suite calls tools whose names begin with test_.',
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
      roots: () => sendRequest({ method: 'roots/list' }, ListRootsResultSchema),
    }),
  );
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [...RESOURCES] }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [...TEMPLATES] }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => readFixture(params.uri));
  server.setRequestHandler(SubscribeRequestSchema, () => ({}));
  server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: [...PROMPTS] }));
  server.setRequestHandler(GetPromptRequestSchema, async ({ params }, { sendRequest }) => {
    if (params.name !== ASKING_PROMPT)
      return { messages: promptMessages(params.name, params.arguments ?? {}) };
    const asked = { message: 'What context should the prompt use?', requestedSchema: field('context') };
    const { content } = await sendRequest(
      { method: 'elicitation/create', params: asked },
      ElicitResultSchema,
    );
    return { messages: [{ role: 'user', content: { type: 'text', text: JSON.stringify(content) } }] };
  });
  server.setRequestHandler(CompleteRequestSchema, ({ params }) => {
    const values = ['paris', 'park', 'party'].filter((word) => word.startsWith(params.argument.value));
    return { completion: { values, total: values.length, hasMore: false } };
  });
  return fixture;
}
