import { ConfigControl, GatewayError, ToolSource, ToolTable } from 'pegboard';
import type { InboundRequest, Scope, Tool } from 'pegboard';
import { readRemedy } from '../../kit/faults/remedy.ts';
import type { Remedy } from '../../kit/faults/remedy.ts';
import { allServices } from '../../kit/definitions/allServices.ts';
import type { ManagedService, ServiceMetadata } from '../../contracts/services.ts';
import { estimatedTokens } from '../../kit/metrics/estimatedTokens.ts';
import { exactPattern } from './draft.ts';

/** One MCP server as lists show it. */
export interface ListedServer {
  readonly name: string;
  /** As core_service_status gives it, as are the next three. */
  readonly state: string;
  readonly health: string;
  readonly error?: string;
  readonly remedy?: Remedy;
  readonly metadata: ServiceMetadata;
}

/** The MCP servers, by name. */
export function serversIn(scope: Scope<unknown>): readonly ManagedService[] {
  const services = allServices(scope);
  return services
    .filter((service) => service.status().service_type === 'MCPServer')
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

export function serverFacts(service: ManagedService): ListedServer {
  const { name, state, health, error, remedy: given, metadata } = service.status();
  const remedy = readRemedy(given);
  return { name, state, health, ...(error !== undefined && { error }), ...(remedy && { remedy }), metadata };
}

/** @throws GatewayError SERVICE_NOT_FOUND */
export function serverNamed(scope: Scope<unknown>, name: string): ManagedService {
  const found = serversIn(scope).find((service) => service.name === name);
  if (found !== undefined) return found;
  throw new GatewayError(
    'SERVICE_NOT_FOUND',
    `no MCP server is called ${JSON.stringify(name.slice(0, 100))}`,
  );
}

/** The tools of a server that the request sees. */
export function toolsOf(scope: Scope<unknown>, server: string, request: InboundRequest): readonly Tool[] {
  return offeredTo(scope, request).filter((tool) => tool.server === server);
}

/** The number of tools that the request sees, by server. */
export function toolCounts(scope: Scope<unknown>, request: InboundRequest): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { server } of offeredTo(scope, request))
    if (server !== undefined) counts.set(server, (counts.get(server) ?? 0) + 1);
  return counts;
}

function offeredTo(scope: Scope<unknown>, request: InboundRequest): readonly Tool[] {
  return scope.get(ToolTable).visibleTo(request).flatMap(withMembers);
}

function withMembers(tool: Tool): readonly Tool[] {
  return [tool, ...(tool.members ?? [])];
}

/** A tool that a server has and no client is offered. */
export interface KeptBack {
  readonly name: string;
  /** The server's own name of it. */
  readonly own: string;
  readonly reason: string;
  /** Whether its definition names it, and it alone: it can be switched on by its page. */
  readonly isSwitchedOff: boolean;
}

/** The tools of a server that are denied, or left out by its definition. */
export function keptBackOf(
  scope: Scope<unknown>,
  server: string,
  request: InboundRequest,
): readonly KeptBack[] {
  const table = scope.get(ToolTable);
  const all = scope.find(ToolSource)?.all(request) ?? [];
  const own = all.flatMap(withMembers).filter((tool) => tool.server === server);
  const { spec } =
    scope
      .get(ConfigControl)
      .resources('MCPServer')
      .find(({ name }) => name === server) ?? {};
  const patterns = [spec?.['excludeTools'] ?? []].flat();
  return own.flatMap((tool) => {
    const { code, reason } = table.refusal(tool.name, tool, request) ?? {};
    return code === 'TOOL_DENIED' && reason !== undefined
      ? [
          {
            name: tool.name,
            own: ownName(tool),
            reason,
            isSwitchedOff: patterns.includes(exactPattern(ownName(tool))),
          },
        ]
      : [];
  });
}

/** The name that its server gives it. */
export function ownName({ name, declared }: Tool): string {
  return typeof declared?.['name'] === 'string' ? declared['name'] : name;
}

/** What a tool takes of an agent's context when it is described in full, as an estimate. */
export function tokensOf({ name, description, inputSchema }: Tool): number {
  return estimatedTokens(Buffer.byteLength(JSON.stringify({ name, description, inputSchema })));
}

/** What lists of tools take of an agent's context: the one that Pegboard gives, and one of all tools of servers. */
export interface ContextCost {
  readonly metaTools: ListCost;
  readonly allTools: ListCost;
}
interface ListCost {
  readonly tools: number;
  readonly tokens: number;
}

/** Reads what requests see; the tools of servers are measured once until they change. */
export function contextCosts(scope: Scope<unknown>): (request: InboundRequest) => ContextCost {
  let last: { readonly visible: readonly Tool[]; readonly cost: ListCost } | undefined;
  return (request) => {
    const table = scope.get(ToolTable);
    const visible = table.visibleTo(request);
    if (last?.visible !== visible) {
      const ofServers = visible.flatMap(withMembers).filter(({ server }) => server !== undefined);
      last = { visible, cost: costOf(ofServers) };
    }
    return { metaTools: costOf(table.metaTools()), allTools: last.cost };
  };
}

function costOf(tools: readonly Tool[]): ListCost {
  return { tools: tools.length, tokens: tools.reduce((sum, tool) => sum + tokensOf(tool), 0) };
}
