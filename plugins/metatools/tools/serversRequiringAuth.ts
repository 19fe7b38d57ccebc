import type { InboundRequest, JsonObject, Scope } from 'pegboard';
import { GuardedServers } from '../../contracts/credentials.ts';
import { allServices } from '../../kit/definitions/allServices.ts';
import type { ManagedService } from '../../contracts/services.ts';
import { SignInStatuses } from '../../contracts/signIns.ts';
import type { SignInStatus } from '../../contracts/signIns.ts';
import { ENABLE_SIGN_INS } from '../../kit/oauth/signInCall.ts';

const SET_HEADERS = 'set headers in its definition with core_mcpserver_update';

/** The remedy for a server that requires credentials which callers cannot get by a sign-in. */
export function credentialsRemedy(scope: Scope<unknown>, server: string): string {
  const isOff = scope.find(GuardedServers)?.get(server)?.wantsSignIns === true;
  return isOff ? `${ENABLE_SIGN_INS}, so that callers sign in there, or ${SET_HEADERS}` : SET_HEADERS;
}

/** Servers that require credentials; neither paged nor restricted by a toolset.
 *  @throws GatewayError STORE_UNREACHABLE */
export async function serversRequiringAuth(
  scope: Scope<unknown>,
  request: InboundRequest,
): Promise<readonly JsonObject[]> {
  const services = allServices(scope);
  const named = await Promise.all(services.map((service) => authRequiredAt(scope, service, request)));
  return named.filter((one) => one !== undefined);
}

/** The entry of a server that the caller lacks a sign-in for, with the tool that gives a link, or of one that lacks credentials;
 *  undefined for one that is stopped or has a single sign-on, as for any other. @throws GatewayError STORE_UNREACHABLE */
export async function authRequiredAt(
  scope: Scope<unknown>,
  service: Pick<ManagedService, 'name' | 'status'>,
  request: InboundRequest,
): Promise<JsonObject | undefined> {
  const { name } = service;
  const signIn = await scope.find(SignInStatuses)?.of(name, request);
  if (signIn !== undefined) return signIn.authTool === undefined ? undefined : toUnlock(name, signIn);
  if (service.status().state !== 'auth_required') return undefined;
  return { name, status: 'auth_required', remedy: credentialsRemedy(scope, name) };
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
