import { ToolTable, jsonResult } from 'pegboard';
import type { InboundRequest, Scope, Tool } from 'pegboard';
import { allServices } from '../../kit/definitions/allServices.ts';
import { toolsByServer } from '../../kit/calls/perList.ts';
import { quotedName } from '../../kit/calls/unknownTool.ts';
import { unknownName } from '../../kit/faults/remedy.ts';
import type { Turns } from '../../kit/limits/turns.ts';
import { optionalText, readPage } from './arguments.ts';
import type { MetatoolsConfig } from '../config.ts';
import { toEntry } from '../entry/entry.ts';
import { metaTool } from './metaTool.ts';
import { serverInstructions } from './serverInstructions.ts';
import { cutShortPage } from '../entry/entryPage.ts';
import { serversRequiringAuth } from './serversRequiringAuth.ts';
import type { StillStarting } from './stillStarting.ts';
import type { SummaryOf } from '../entry/summary.ts';

const LIMIT = 50;
/** Characters of a server's instructions that are quoted. */
const MAX_QUOTED_CHARS = 4_000;
const MAX_NAME_CHARS = 256;

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
    description:
      'List all tools by page; with server, those of one and its instructions. To find a tool for a task, use filter_tools.',
    properties: {
      limit: { type: 'number', minimum: 1, default: LIMIT, description: 'Tools per page' },
      offset: { type: 'number', minimum: 0, default: 0, description: 'Tools to skip' },
      server: { type: 'string', description: 'Server name' },
    },
    run: async (args, { request }) => {
      const asked = readPage(args, LIMIT);
      // A snapshot: changes of the catalogue meanwhile do not affect the page.
      const visible = scope.get(ToolTable).visibleTo(request);
      const server = optionalText(args, 'server');
      const tools = server === undefined ? visible : toolsOf(server, visible, { scope, request });
      const cutting = cutShortPage(tools, asked, {
        bounds: scope.config,
        toEntry: (tool, summaryChars) =>
          toEntry(tool, { summary: summaryOf(tool.description, summaryChars) }),
      });
      const page = await turns.run(cutting);
      return jsonResult({
        tools: page.entries,
        total: page.total,
        total_tools: visible.length,
        filtered_count: page.entries.length,
        truncated: page.truncated,
        filters: {
          ...(server !== undefined && { server }),
          case_sensitive: false,
          include_schema: false,
          limit: page.limit,
          offset: page.offset,
        },
        ...(request.toolset !== undefined && { toolset: request.toolset.selectors }),
        ...starting.field(request),
        servers_requiring_auth: await serversRequiringAuth(scope, request),
        ...(server !== undefined &&
          starting.unlisted(request).includes(server) && {
            hint: `the tools of ${server} are not known now, and core_service_status says why`,
          }),
        ...(server !== undefined && serverInstructions(scope, server, { tools, maxChars: MAX_QUOTED_CHARS })),
      });
    },
  });
}

/** @returns none for a server whose tools are not known now @throws GatewayError TOOL_ARGUMENTS for one that the request does not know */
function toolsOf(
  server: string,
  visible: readonly Tool[],
  { scope, request }: { readonly scope: Scope<unknown>; readonly request: InboundRequest },
): readonly Tool[] {
  const byServer = toolsByServer(visible);
  const tools = byServer.get(server) ?? [];
  const services = allServices(scope);
  const isKnown =
    tools.length > 0 ||
    (services.some(({ name }) => name === server) &&
      scope.get(ToolTable).refusal(server, { kind: 'server', name: server, server }, request) === undefined);
  if (isKnown) return tools;
  const others = [...byServer.keys()];
  const name = server.slice(0, MAX_NAME_CHARS);
  const cause = `no server is named ${quotedName(server)}`;
  throw unknownName({ name, known: others, kind: 'servers' }, 'TOOL_ARGUMENTS', cause);
}
