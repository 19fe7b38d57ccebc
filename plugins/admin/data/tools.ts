import { GatewayError, ToolTable } from 'pegboard';
import type { InboundRequest, Scope, Tool } from 'pegboard';
import { GuardedServers } from '../../contracts/credentials.ts';
import { shown } from '../../kit/pages/words.ts';

const MAX_WORDS = 500;

/** A tool as the operator finds it, also one that a family of servers offers under one name.
 *  @throws GatewayError TOOL_NOT_FOUND with the reason, if there is one besides the name */
export function toolNamed(scope: Scope<unknown>, name: string, request: InboundRequest): Tool {
  const table = scope.get(ToolTable);
  const tool = table.declared(name, request);
  if (tool !== undefined) return tool;
  // The last refusal is the most specific one: the server may give the reason.
  const refusal = table.explain(name, undefined, request).findLast(({ allow }) => !allow);
  const { reason = `no tool is named ${name}`, remedy, layer } = refusal ?? {};
  const guarded = scope.all(GuardedServers).flatMap((servers) => servers.all());
  const isGuarded =
    layer === 'server' &&
    request.caller === undefined &&
    guarded.some((server) => server.isPersonal && reason.includes(server.name));
  const words = [reason, remedy, isGuarded ? WITHOUT_CALLER : undefined].flatMap((part) => part ?? []);
  throw new GatewayError('TOOL_NOT_FOUND', words.map((part) => shown(part, MAX_WORDS)).join('; '));
}

export const WITHOUT_CALLER =
  'the admin pages call without a caller, and a server with a connection for each caller offers its tools to those who have signed in';

/** Whether each caller has a connection of their own to the tool's server. */
export function isPersonal(scope: Scope<unknown>, { server }: Tool): boolean {
  if (server === undefined) return false;
  return scope.all(GuardedServers).some((servers) => servers.get(server)?.isPersonal === true);
}

/** Whether a call may change something. Source: MCP 2025-11-25, ToolAnnotations: not read-only unless declared. */
export function changes({ annotations }: Tool): boolean {
  return annotations?.readOnlyHint !== true;
}
