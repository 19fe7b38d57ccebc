import { isObject, nearest } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { Failure } from '../failure.ts';
import type { Gateway } from '../gateway.ts';

const URI = 'auth://status';

/** A server of `auth://status`, and the caller's grant there. Source: requirement resource.auth */
export interface ServerSignIn {
  readonly name: string;
  readonly status: string;
  readonly suspended?: boolean;
  readonly error?: string;
  /** The core tool that gives the link of a sign-in. */
  readonly auth_tool?: string;
  readonly token_forwarding_enabled?: boolean;
  readonly token_exchange_enabled?: boolean;
  readonly sso_attempt_failed?: boolean;
  readonly grant?: ServerGrant;
}
interface ServerGrant {
  readonly state: string;
  readonly expires?: string;
  readonly nextRefresh?: string;
  readonly reason?: string;
  readonly missingScopes?: readonly string[];
}

const USABLE: readonly unknown[] = ['valid', 'refreshing', 'expiring'];

/** The servers of `auth://status`, by name. @throws Failure */
export async function serverStatuses(gateway: Gateway): Promise<readonly ServerSignIn[]> {
  const { servers } = await gateway.resource(URI);
  if (!Array.isArray(servers)) throw new Failure(`${URI} of the gateway has no servers`);
  return servers.filter(
    (one): one is ServerSignIn & JsonObject => isObject(one) && typeof one['name'] === 'string',
  );
}

/** @throws Failure if there is no such server */
export function statusNamed(statuses: readonly ServerSignIn[], name: string): ServerSignIn {
  const found = statuses.find((one) => one.name === name);
  if (found !== undefined) return found;
  const names = statuses.map((one) => one.name);
  const [near] = nearest(name, names, 1);
  throw new Failure(`there is no server ${name}${near === undefined ? '' : `; did you mean ${near}?`}`);
}

/** Whether the server takes the person's sign-in at the gateway. */
export function takesGatewaySignIn(status: ServerSignIn): boolean {
  return status.token_forwarding_enabled === true || status.token_exchange_enabled === true;
}

/** Whether a person has to sign in at the server: for the first time, again, or for more scopes. */
export function wantsSignIn(status: ServerSignIn): boolean {
  if (status.suspended === true || takesGatewaySignIn(status)) return false;
  return ['auth_required', 'reauth_required'].includes(status.status) || lacksScopes(status);
}

export function isSignedIn(status: ServerSignIn): boolean {
  return (status.status === 'connected' || USABLE.includes(status.grant?.state)) && !lacksScopes(status);
}

function lacksScopes({ grant }: ServerSignIn): boolean {
  return (grant?.missingScopes ?? []).length > 0;
}
