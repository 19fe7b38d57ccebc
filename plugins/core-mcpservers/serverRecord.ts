import { ConfigControl, isError, placeText } from 'pegboard';
import type { Call, GatewayError, JsonObject, Resource, Scope } from 'pegboard';
import { helpedBy } from '../kit/faults/remedy.ts';
import { allServices } from '../kit/definitions/allServices.ts';
import type { ManagedService, ServiceRecord } from '../contracts/services.ts';
import type { SignInStatus } from '../contracts/signIns.ts';
import { hiddenSpec } from '../kit/secrets/hiddenSpec.ts';
import { stateInWords, statusMessage } from '../kit/notices/stateInWords.ts';
import { MCP_SERVER, mcpServerKind } from './mcpServerKind.ts';
import type { McpServerSpec } from './mcpServerSpec.ts';
import { signInOf, statusFor } from './signInOf.ts';

/** A definition as results show it: redacted, with the current state of its service, and of the caller's sign-in there. */
export async function serverRecordOf(
  { name, labels, spec }: Resource,
  { request }: Pick<Call, 'request'>,
  scope: Scope<unknown>,
): Promise<JsonObject> {
  const { command, env, headers, ...plain } = hiddenSpec(spec, mcpServerKind.schema) as McpServerSpec;
  const service = managedOf(name, scope);
  const signIn = await signInOf(name, request, scope);
  return {
    name,
    ...plain,
    ...(command !== undefined && { command: [command].flat() }),
    ...(Object.keys(env).length > 0 && { env }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(labels && { labels }),
    ...stateOf(spec as McpServerSpec, service?.status(request), signIn),
  };
}

/** @throws GatewayError STORE_NOT_FOUND */
export function inForce(name: string, scope: Scope<unknown>): Resource {
  const found = scope
    .get(ConfigControl)
    .resources(MCP_SERVER)
    .find((resource) => resource.name === name);
  if (found !== undefined) return found;
  const faults = refusalsOf(name, scope);
  if (faults.length === 0) throw serverNotFound(name);
  const text = `MCP server ${name} is left out: ${faults.join('; ')}`;
  throw helpedBy({ do: 'mend', server: name }, 'CONFIG_INVALID', text);
}

/** Why the stored definition is not in force, as `file:line:column: message`. */
export function refusalsOf(name: string, scope: Scope<unknown>): readonly string[] {
  const { issues = [] } = scope.get(ConfigControl).lastReport() ?? {};
  const own = issues.filter(({ definition }) => definition?.kind === MCP_SERVER && definition.name === name);
  return own
    .filter(isError)
    .map((issue) => [placeText(issue), issue.message].filter((part) => part !== undefined).join(': '));
}

export function serverNotFound(name: string): GatewayError {
  return helpedBy({ do: 'list', kind: 'servers' }, 'STORE_NOT_FOUND', `MCP server ${name} not found`);
}

export function serviceOf(name: string, scope: Scope<unknown>): ServiceRecord | undefined {
  return managedOf(name, scope)?.status();
}

function managedOf(name: string, scope: Scope<unknown>): ManagedService | undefined {
  const services = allServices(scope);
  return services.find((service) => service.name === name && service.status().service_type === MCP_SERVER);
}

/** Keys of the service's metadata that a definition shows with its state → their names there. */
const SHOWN = {
  transport: 'transport',
  progress: 'progress',
  tools: 'toolsCount',
  partialLists: 'partialLists',
  consecutiveFailures: 'consecutiveFailures',
  lastAttempt: 'lastAttempt',
  restartCount: 'restartCount',
  nextRetryAfter: 'nextRetryAfter',
  lastRestartedAt: 'lastRestartedAt',
} as const;

/** State fields; a server without a service counts as stopped. */
function stateOf(
  { type }: McpServerSpec,
  service: ServiceRecord | undefined,
  signIn: SignInStatus | undefined,
): JsonObject {
  const { state, health, error, remedy, metadata }: Omit<ServiceRecord, 'name' | 'service_type'> =
    service ?? {
      state: 'stopped',
      health: 'unknown',
      metadata: {},
    };
  const status = statusFor(state, signIn);
  // The shared connection was refused, but the caller's own is not.
  const isOwn = state === 'auth_required' && status === 'connected';
  const message = isOwn ? undefined : statusMessage(state, error);
  const facts = Object.entries(SHOWN)
    .map(([key, shown]) => [shown, metadata[key]] as const)
    .filter(([, value]) => value !== undefined && value !== 0);
  return {
    state: stateInWords(isOwn ? 'connected' : state, type),
    health: isOwn ? 'healthy' : health,
    sessionStatus: status,
    ...(message !== undefined && { statusMessage: message }),
    ...(error !== undefined && !isOwn && { error }),
    ...(remedy !== undefined && !isOwn && { remedy }),
    ...(signIn !== undefined && { signIn: signIn.status }),
    ...(signIn?.grant !== undefined && { grant: signIn.grant }),
    ...Object.fromEntries(facts),
  };
}
