import { ToolTable } from 'pegboard';
import { McpPromptSource, McpResourceSource } from '../../upstream/contract.ts';
import type { InboundRequest, JsonObject, Scope, Tool } from 'pegboard';

/** The lists that clients read, as JSON text. */
export interface Lists {
  tools(): string;
  resources(request: InboundRequest): string;
  templates(request: InboundRequest): string;
  prompts(request: InboundRequest): string;
}

export function createLists(scope: Scope<unknown>): Lists {
  let generation = -1;
  let tools = '';
  return {
    tools: () => {
      const table = scope.get(ToolTable);
      if (table.generation !== generation) {
        tools = JSON.stringify({ tools: table.metaTools().map(toolEntry) });
        generation = table.generation;
      }
      return tools;
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

function toolEntry({ name, description, inputSchema, annotations }: Tool): JsonObject {
  return { name, description, inputSchema, ...(annotations === undefined ? {} : { annotations }) };
}
