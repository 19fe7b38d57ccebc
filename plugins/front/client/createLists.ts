import { ToolTable } from 'pegboard';
import type { InboundRequest, JsonObject, Scope, Tool } from 'pegboard';
import { McpPromptSource, McpResourceSource } from '../../contracts/mcp.ts';

/** The lists that clients read, as JSON text. */
export interface Lists {
  tools(request: InboundRequest): string;
  resources(request: InboundRequest): string;
  templates(request: InboundRequest): string;
  prompts(request: InboundRequest): string;
}

export function createLists(scope: Scope<unknown>): Lists {
  return {
    tools: (request) => {
      const tools = scope.get(ToolTable).metaTools();
      return JSON.stringify({ tools: tools.map((tool) => toolEntry(tool, request)) });
    },
    resources: (request) =>
      JSON.stringify({
        resources: scope.all(McpResourceSource).flatMap((source) => source.resources(request)),
      }),
    templates: (request) =>
      JSON.stringify({
        resourceTemplates: scope.all(McpResourceSource).flatMap((source) => source.templates(request)),
      }),
    prompts: (request) =>
      JSON.stringify({ prompts: scope.all(McpPromptSource).flatMap((source) => source.prompts(request)) }),
  };
}

function toolEntry(tool: Tool, request: InboundRequest): JsonObject {
  const { name, description, inputSchema, annotations } = tool;
  return {
    name,
    description,
    inputSchema,
    ...(annotations !== undefined && { annotations }),
    ...tool.listed?.(request),
  };
}
