import { ToolTable, jsonResult } from 'pegboard';
import type { InboundRequest, JsonObject, Scope, Tool } from 'pegboard';
import { GuardedServers } from '../../contracts/credentials.ts';
import { ServiceSource } from '../../contracts/services.ts';
import { SignInStatuses } from '../../contracts/signIns.ts';
import type { SignInStatus } from '../../contracts/signIns.ts';
import { ENABLE_SIGN_INS } from '../../kit/oauth/signInCall.ts';
import type { Turns } from '../../kit/limits/turns.ts';
import { readPage } from './arguments.ts';
import type { MetatoolsConfig } from '../config.ts';
import { toEntry } from '../entry/entry.ts';
import { metaTool } from './metaTool.ts';
import { cutShortPage } from '../entry/entryPage.ts';
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
    description:
      'List all tools page by page, as one-line summaries. To find a tool for a task use filter_tools with a query instead: it is far shorter.',
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

const SET_HEADERS = 'set headers in its definition with core_mcpserver_update';

/** The remedy for a server that requires credentials which callers cannot get by a sign-in. */
export function credentialsRemedy(scope: Scope<unknown>, server: string): string {
  const isOff = scope.find(GuardedServers)?.get(server)?.wantsSignIns === true;
  return isOff ? `${ENABLE_SIGN_INS}, so that callers sign in there, or ${SET_HEADERS}` : SET_HEADERS;
}

/** Servers that require credentials; neither paged nor restricted by a toolset. One that the caller lacks a sign-in for is
 *  named with the tool that gives a link; servers of a single sign-on are not, and neither are stopped ones.
 *  @throws GatewayError STORE_UNREACHABLE */
async function serversRequiringAuth(
  scope: Scope<unknown>,
  request: InboundRequest,
): Promise<readonly JsonObject[]> {
  const statuses = scope.find(SignInStatuses);
  const services = scope.all(ServiceSource).flatMap((source) => source.services());
  const named = services.map(async (service): Promise<JsonObject | undefined> => {
    const { name } = service;
    const signIn = await statuses?.of(name, request);
    if (signIn !== undefined) return signIn.authTool === undefined ? undefined : toUnlock(name, signIn);
    if (service.status().state !== 'auth_required') return undefined;
    return { name, status: 'auth_required', remedy: credentialsRemedy(scope, name) };
  });
  return (await Promise.all(named)).filter((one) => one !== undefined);
}

function toUnlock(name: string, { status, authTool, grant }: SignInStatus): JsonObject | undefined {
  if (status !== 'auth_required') return undefined;
  return {
    name,
    status,
    auth_tool: authTool,
    ...(grant?.reason !== undefined && { reason: grant.reason }),
  };
}
