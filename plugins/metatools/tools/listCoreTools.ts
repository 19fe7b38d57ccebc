import { ToolTable, jsonResult } from 'pegboard';
import type { JsonObject, Scope, Tool } from 'pegboard';
import { flag } from './arguments.ts';
import { toEntry } from '../entry/entry.ts';
import type { SummaryOf } from '../entry/summary.ts';
import type { ShortSchemaOf } from '../entry/trimmedSchemaOf.ts';
import { metaTool } from './metaTool.ts';

export function listCoreTools(
  scope: Scope<unknown>,
  summaryOf: SummaryOf,
  shortSchemaOf: ShortSchemaOf,
): Tool {
  return metaTool({
    name: 'list_core_tools',
    description: 'List the built-in tools (core_*) that manage this service.',
    properties: {
      include_schema: {
        type: 'boolean',
        default: false,
        description: 'Also schemas: 50 KB',
      },
    },
    run: (args, { request }) => {
      const full = flag(args, 'include_schema');
      const visible = scope.get(ToolTable).visibleTo(request);
      const entryOf = (tool: Tool): JsonObject =>
        toEntry(tool, full ? { shortSchemaOf } : { summary: summaryOf(tool.description) });
      const tools = visible.filter(({ kind }) => kind === 'core').map(entryOf);
      return jsonResult({
        filters: { pattern: 'core*', case_sensitive: false, include_schema: full, limit: 0, offset: 0 },
        total_tools: visible.length,
        filtered_count: tools.length,
        total: tools.length,
        truncated: false,
        ...(request.toolset !== undefined && { toolset: request.toolset.selectors }),
        tools,
      });
    },
  });
}
