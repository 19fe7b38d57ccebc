import { ToolTable, jsonResult } from 'pegboard';
import type { InboundRequest, JsonObject, Scope, Tool, Verdict } from 'pegboard';
import { allServices } from '../../kit/definitions/allServices.ts';
import { SignInStatuses } from '../../contracts/signIns.ts';
import type { SignInStatus } from '../../contracts/signIns.ts';
import { isTaskOnly } from '../../kit/calls/isTaskOnly.ts';
import { nearTools } from '../../kit/calls/unknownTool.ts';
import { optionalText, requiredText } from './arguments.ts';
import { explainSearch } from './explainSearch.ts';
import type { Ranker } from '../search/ranker.ts';
import type { MetatoolsConfig } from '../config.ts';
import { credentialsRemedy } from './serversRequiringAuth.ts';
import { TASK_ONLY } from '../entry/entry.ts';
import { metaTool } from './metaTool.ts';

export function explainTool(scope: Scope<MetatoolsConfig>, ranker: Ranker): Tool {
  return metaTool({
    name: 'explain_tool',
    description: 'Say why you can or cannot see or call a tool, and what would change it.',
    properties: {
      name: { type: 'string', description: 'Exact name' },
      query: { type: 'string', description: 'Also its rank in a search for this' },
    },
    required: ['name'],
    run: async (args, { request }) => {
      const name = requiredText(args, 'name');
      const query = optionalText(args, 'query')?.slice(0, scope.config.maxQueryChars);
      const search = query === undefined ? {} : await explainSearch(scope, ranker, { name, query, request });
      return jsonResult({ ...(await explain(scope, name, request)), ...search });
    },
  });
}

async function explain(scope: Scope<unknown>, name: string, request: InboundRequest): Promise<JsonObject> {
  const table = scope.get(ToolTable);
  const tool = table.find(name, request);
  const layers = table.explain(name, tool, request);
  const refusals = layers.filter(({ allow }) => !allow);
  // For a missing tool the last refusal is the most specific one: its server may give the reason.
  const refusal = tool === undefined ? refusals.at(-1) : refusals[0];
  const server = tool?.server;
  const service = server === undefined ? undefined : serviceState(scope, server, request);
  const signIn = server === undefined ? undefined : await scope.find(SignInStatuses)?.of(server, request);
  const near =
    tool === undefined && refusal?.code === 'TOOL_NOT_FOUND' ? nearTools(name, table, request) : [];
  return {
    name,
    ...(tool !== undefined && { kind: tool.kind }),
    visible: refusal === undefined,
    callable: refusal === undefined && (tool === undefined || !isTaskOnly(tool.declared ?? {})),
    how: howToCall(tool, refusal),
    layers: layers.map(layerEntry),
    ...(service !== undefined && { server: { ...service, ...signInFacts(signIn) } }),
    ...(tool?.isStale?.() === true && { stale: true }),
    ...(near.length > 0 && { near }),
    ...remedyField(scope, refusal, service, signIn),
  };
}

function signInFacts(signIn: SignInStatus | undefined): JsonObject {
  if (signIn === undefined) return {};
  const { status, grant } = signIn;
  return { signIn: status, ...(grant !== undefined && { grant }) };
}

function layerEntry({ layer, allow, code, reason, remedy, details }: Verdict): JsonObject {
  return {
    layer,
    allow,
    ...(code !== undefined && { code }),
    reason,
    ...(remedy !== undefined && { remedy }),
    ...(details?.action !== undefined && { action: details.action }),
  };
}

function howToCall(tool: Tool | undefined, refusal: Verdict | undefined): string {
  if (tool === undefined || refusal !== undefined) return 'not for this request';
  if (isTaskOnly(tool.declared ?? {})) return TASK_ONLY;
  return tool.kind === 'meta' ? 'call it directly' : 'call_tool with this name';
}

function serviceState(scope: Scope<unknown>, server: string, request: InboundRequest): JsonObject {
  const services = allServices(scope);
  const service = services.find(({ name }) => name === server);
  if (service === undefined) return { name: server, state: 'unknown' };
  const { state, health, error } = service.status();
  const instances = service.instanceFor?.(request);
  return {
    name: server,
    state,
    health,
    ...(error !== undefined && { error }),
    ...(instances !== undefined && { instances }),
  };
}

/** The remedy of the refusal, else of the server's state: an allowed call also fails if the server is not connected. */
function remedyField(
  scope: Scope<unknown>,
  refusal: Verdict | undefined,
  service: JsonObject | undefined,
  signIn: SignInStatus | undefined,
): JsonObject {
  if (refusal !== undefined) {
    const { remedy = refusal.reason, details } = refusal;
    return { remedy, ...(details?.action !== undefined && { action: details.action }) };
  }
  if (signIn?.grant?.cure !== undefined) return { remedy: signIn.grant.cure };
  const state = signIn?.status === 'connected' ? 'connected' : service?.['state'];
  const start = `start it: call_tool core_service_start {"name": ${JSON.stringify(service?.['name'])}}`;
  switch (state) {
    case 'stopped':
      return { remedy: start, action: { do: 'start', server: service?.['name'] } };
    case 'auth_required':
      return {
        remedy: `the server requires credentials: ${credentialsRemedy(scope, String(service?.['name']))}`,
      };
    case 'failed':
    case 'unreachable':
      return {
        remedy: `the server is unreachable and is retried automatically; to retry now: call_tool core_service_restart {"name": ${JSON.stringify(service?.['name'])}}`,
        action: { do: 'restart', server: service?.['name'] },
      };
    default:
      return {};
  }
}
