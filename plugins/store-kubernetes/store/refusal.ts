import { isObject } from 'pegboard';
import type { Issue, JsonObject, Resource, ResourceKind } from 'pegboard';
import { hostOf } from 'pegboard/net';
import { isNearHost } from '../../kit/http/farLookup.ts';
import type { KubeObject } from '../api/kubeObject.ts';
import { kubectlName, specOf } from './customResource.ts';

/** An object and its namespace. */
export interface PlacedObject {
  readonly namespace: string;
  /** The namespace again if it is a further one; undefined in that of the gateway. */
  readonly team: string | undefined;
  readonly object: KubeObject;
}

/** Why an object of a further namespace is not in force. */
export interface Refusal {
  readonly reason: 'NameTaken' | 'NotAllowed' | 'Pending';
  readonly message: string;
}

export const PENDING: Refusal = {
  reason: 'Pending',
  message: 'the one of another namespace that had this name has to end first',
};

/** What a server of another namespace may have; keys that come later are refused until they are here. */
const KEYS: ReadonlySet<string> = new Set([
  ...['type', 'description', 'includeTools', 'excludeTools', 'autoStart', 'suspended', 'restartRequestedAt'],
  ...['url', 'messageUrl', 'headers', 'callerSecrets', 'auth', 'tls', 'revision', 'questions', 'keepSession'],
  ...['timeout', 'callTimeout', 'callTimeouts'],
  ...['instances', 'maxInstances', 'maxInstancesPerOwner', 'instanceIdleTimeout'],
]);
const KEYS_IN: Readonly<Record<string, ReadonlySet<string>>> = {
  auth: new Set(['type', 'grantScope', 'authorizationServer']),
  // Not what makes a token good for more than the address of the server: resource, parameters.
  'auth.authorizationServer': new Set([
    ...[
      'issuer',
      'scopes',
      'grantScope',
      'clientId',
      'clientSecret',
      'tokenEndpointAuthMethod',
      'assumePkce',
    ],
    ...['authorizationEndpoint', 'tokenEndpoint', 'revocationEndpoint'],
  ]),
  tls: new Set(['servername']),
};
const ADDRESSES: ReadonlySet<string> = new Set([
  ...['url', 'messageUrl'],
  ...['issuer', 'authorizationEndpoint', 'tokenEndpoint', 'revocationEndpoint'].map(
    (key) => `auth.authorizationServer.${key}`,
  ),
]);
/** References to what belongs to the gateway, also one within another. */
const GATEWAYS = /\$\{(env|file):/;
/** A reference in the host would be read after the check. */
const PLAIN_HOST = /^https?:\/\/[^\s${}/?#\\]+([/?#]|$)/i;

/** What else there is where an object of a further namespace is. */
export interface Neighbours {
  /** Its namespace. */
  readonly team: string;
  /** The object that has its name; undefined if it is gone. */
  readonly owner: PlacedObject | undefined;
  /** As prefixesOf() returns them. */
  readonly prefixes: ReadonlyMap<string, PlacedObject>;
}

/** The prefixes of tools that servers have besides their own names. A server of that name would win over them. */
export function prefixesOf(objects: readonly PlacedObject[]): Neighbours['prefixes'] {
  const found = objects.flatMap((placed): readonly (readonly [string, PlacedObject])[] => {
    const { toolPrefix, family } = specOf(placed.object);
    const given = [toolPrefix, isObject(family) ? family['name'] : undefined];
    // Those of further namespaces are refused.
    return given.flatMap((one) => (typeof one === 'string' && !placed.team ? [[one, placed] as const] : []));
  });
  return new Map(found);
}

export function refusalOf(
  kind: ResourceKind,
  { name, spec }: Resource,
  { team, owner, prefixes }: Neighbours,
): Refusal | undefined {
  if (owner !== undefined && owner.team !== team) {
    const message = `${kind.name} ${name} of namespace ${owner.namespace} has this name; give this one another`;
    return { reason: 'NameTaken', message };
  }
  for (const [prefix, { namespace, object }] of prefixes) {
    if (!`${prefix}_`.startsWith(`${name}_`)) continue;
    const message = `tools of ${kind.name} ${object.metadata.name} of namespace ${namespace} begin with ${prefix}; give this one another name`;
    return { reason: 'NameTaken', message };
  }
  const message = teamFault(kind, spec);
  return message === undefined ? undefined : { reason: 'NotAllowed', message };
}

/** A warning about no definition: another one may have its name, and a team must not keep the gateway from starting. */
export function leftOut(
  kind: ResourceKind,
  name: string,
  { message }: Refusal,
  team: string | undefined,
): Issue {
  const text = `${kind.name} ${name} is left out: ${message}`;
  return { severity: 'warning', code: 'CONFIG_INVALID', message: text, file: kubectlName(kind, name, team) };
}

/** Why a definition of a further namespace is refused; undefined if it may be there. Who may write it may be someone else than who runs
 *  the gateway: it must not read the gateway's files and environment, run as the gateway, reach what only this machine reaches,
 *  take names of others, or be sent the tokens with which callers sign in here. */
function teamFault({ name: kind }: Pick<ResourceKind, 'name'>, spec: JsonObject): string | undefined {
  if (kind !== 'MCPServer') return undefined;
  if (spec['type'] === 'stdio')
    return 'type stdio would run its program as the gateway itself; serve it over streamable HTTP';
  const key = unfit(spec, KEYS, '') ?? unfitBelow(spec);
  if (key !== undefined)
    return `${key} may be given in the namespace of the gateway only: it uses what belongs to the gateway, its callers or other servers; leave it out`;
  return textFault(spec, '');
}

function unfitBelow(spec: JsonObject): string | undefined {
  const below = Object.entries(KEYS_IN).map(([place, allowed]) => {
    const value = place.split('.').reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), spec);
    return unfit(value, allowed, `${place}.`);
  });
  return below.find((one) => one !== undefined);
}

/** The first key that is not allowed and not merely off, as defaults of the API server are. */
function unfit(value: unknown, allowed: ReadonlySet<string>, before: string): string | undefined {
  if (!isObject(value)) return undefined;
  const found = Object.entries(value).find(([key, given]) => !allowed.has(key) && !isOff(given));
  return found && before + found[0];
}

function isOff(given: unknown): boolean {
  return given === false || (typeof given === 'object' && Object.values(given ?? {}).every(isOff));
}

function textFault(value: unknown, place: string): string | undefined {
  if (typeof value === 'string') {
    if (GATEWAYS.test(value))
      return `${place} refers to the environment or a file of the gateway; use \${secret:NAME/KEY}, a Secret of its own namespace`;
    return ADDRESSES.has(place) ? addressFault(value, place) : undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const fault = textFault(inner, place === '' ? key : `${place}.${key}`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function addressFault(address: string, place: string): string | undefined {
  const written = PLAIN_HOST.exec(address)?.[0];
  if (written === undefined || !URL.canParse(written))
    return `${place} has to begin with http:// or https:// and a host without references`;
  return isNearHost(hostOf(new URL(written)))
    ? `${place} leads to the gateway's own machine or its link; give the server a Service`
    : undefined;
}
