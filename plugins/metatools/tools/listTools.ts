import { ToolTable, jsonResult } from 'pegboard';
import type { Scope, Tool } from 'pegboard';
import type { Turns } from '../../kit/limits/turns.ts';
import { readPage } from './arguments.ts';
import type { MetatoolsConfig } from '../config.ts';
import { toEntry } from '../entry/entry.ts';
import { metaTool } from './metaTool.ts';
import { cutShortPage } from '../entry/entryPage.ts';
import { serversRequiringAuth } from './serversRequiringAuth.ts';
import type { StillStarting } from './stillStarting.ts';
import type { SummaryOf } from '../entry/summary.ts';

const LIMIT = 50;

export function listTools(
  scope: Scope<MetatoolsConfig>,
  {
    summaryOf,
    turns,
    starting,
  }: { readonly summaryOf: SummaryOf; readonly turns: Turns; readonly starting: StillStarting },
): Tool {
  return metaTool({
    name: 'list_tools',
    description: 'List all tools page by page. To find a tool for a task, use filter_tools.',
    properties: {
      limit: { type: 'number', minimum: 1, default: LIMIT, description: 'Tools per page' },
      offset: { type: 'number', minimum: 0, default: 0, description: 'Tools to skip' },
    },
    run: async (args, { request }) => {
      const asked = readPage(args, LIMIT);
      // A snapshot: changes of the catalogue meanwhile do not affect the page.
      const visible = scope.get(ToolTable).visibleTo(request);
      const cutting = cutShortPage(visible, asked, {
        bounds: scope.config,
        toEntry: (tool, summaryChars) =>
          toEntry(tool, { summary: summaryOf(tool.description, summaryChars) }),
      });
      const page = await turns.run(cutting);
      return jsonResult({
        tools: page.entries,
        total: page.total,
        total_tools: page.total,
        filtered_count: page.entries.length,
        truncated: page.truncated,
        filters: { case_sensitive: false, include_schema: false, limit: page.limit, offset: page.offset },
        ...(request.toolset !== undefined && { toolset: request.toolset.selectors }),
        ...starting.field(request),
        servers_requiring_auth: await serversRequiringAuth(scope, request),
      });
    },
  });
}
