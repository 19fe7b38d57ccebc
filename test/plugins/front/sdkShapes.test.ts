import { expect } from 'chai';
import {
  ClientRequestSchema,
  InitializeResultSchema,
  ListPromptsResultSchema,
  ListResourceTemplatesResultSchema,
  ListResourcesResultSchema,
  ListToolsResultSchema,
  LoggingLevelSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type {
  CallToolResult,
  ClientCapabilities,
  LoggingLevel,
  Progress as SdkProgress,
  Prompt,
  Resource,
  ResourceTemplate,
  ServerRequest,
  Tool as SdkTool,
  ToolAnnotations as SdkAnnotations,
} from '@modelcontextprotocol/sdk/types.js';
import { LOG_LEVELS } from '../../../kernel/index.ts';
import type {
  Client,
  JsonObject,
  McpLogLevel,
  Progress,
  Question,
  Tool,
  ToolAnnotations,
  ToolResult,
} from '../../../kernel/index.ts';
import { initializeBody, postMcp, startEdge } from '../../support/edge.ts';
import { TalkingClient } from '../../support/talkingClient.ts';

/** Compiles only if whatever the SDK calls `Theirs` may be given where Pegboard says `Ours`. The other direction does not hold on
 *  purpose: fields that a later revision adds pass through unread. */
type Takes<Ours, Theirs extends Ours> = Theirs;
export type Held = [
  Takes<ToolResult, CallToolResult>,
  Takes<ToolAnnotations, SdkAnnotations>,
  Takes<Tool['inputSchema'], SdkTool['inputSchema']>,
  Takes<JsonObject, SdkTool>,
  Takes<JsonObject, Resource>,
  Takes<JsonObject, ResourceTemplate>,
  Takes<JsonObject, Prompt>,
  Takes<Client['capabilities'], ClientCapabilities>,
  Takes<Progress, SdkProgress>,
  Takes<McpLogLevel, LoggingLevel>,
  Takes<LoggingLevel, McpLogLevel>,
  Takes<ServerRequest['method'], Question['method']>,
];

/** Requests of the SDK's clients that Pegboard does not answer: it declares no tasks. */
const NOT_ANSWERED = ['tasks/get', 'tasks/result', 'tasks/list', 'tasks/cancel'];
const METHOD_NOT_FOUND = -32601;
const SCHEMAS = {
  initialize: InitializeResultSchema,
  'tools/list': ListToolsResultSchema,
  'resources/list': ListResourcesResultSchema,
  'resources/templates/list': ListResourceTemplatesResultSchema,
  'prompts/list': ListPromptsResultSchema,
};

describe("front: MCP as the official SDK's types have it", () => {
  it('has the same log levels, in the same order', () => {
    expect(LOG_LEVELS).to.deep.equal(LoggingLevelSchema.options);
  });

  it('answers each request that a client of the SDK can make, except for tasks', async () => {
    const { url } = await startEdge({ tools: [] });
    const client = await TalkingClient.connect(url);
    const methods = ClientRequestSchema.options.map(({ shape }) => shape.method.value);
    const unknown: string[] = [];
    for (const method of methods) {
      const { error } = await client.request(method).answer();
      if (error?.code === METHOD_NOT_FOUND) unknown.push(method);
    }
    expect(unknown).to.deep.equal(NOT_ANSWERED);
  });

  it("answers with results that the SDK's schemas accept", async () => {
    const { url } = await startEdge({ tools: [] });
    const client = await TalkingClient.connect(url);
    const initialized = await postMcp(url, initializeBody());
    const results = { initialize: initialized.json().result } as Record<string, unknown>;
    for (const method of Object.keys(SCHEMAS))
      results[method] ??= (await client.request(method).answer()).result;
    for (const [method, schema] of Object.entries(SCHEMAS))
      expect(schema.safeParse(results[method]).error, method).to.equal(undefined);
  });
});
