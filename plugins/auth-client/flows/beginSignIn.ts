import type { InboundRequest } from 'pegboard';
import type { GuardedServer } from '../../contracts/credentials.ts';
import type { SignInFacts, SignInFinder } from '../../contracts/signIns.ts';
import { SignInFault } from '../discovery/network.ts';
import type { Networks } from '../discovery/network.ts';
import type { CallerSecrets } from '../grants/store/callerSecrets.ts';
import type { Grants } from '../grants/store/grants.ts';
import { holderOf } from '../grants/record/holderOf.ts';
import { askerOf } from './askerOf.ts';
import { DiscoveryFault } from './discoveryFault.ts';
import { FLOW_SECONDS } from './flowStore.ts';
import type { FlowStore, SignInFlow } from './flowStore.ts';
import { NO_ADDRESS, START_PATH } from './ownAddresses.ts';
import type { OwnAddresses } from './ownAddresses.ts';
import { unknownClient } from './ownClients.ts';
import type { OwnClients } from './ownClients.ts';
import type { SecretRequests } from './secretRequests.ts';
import { scopesToAsk } from './scopesToAsk.ts';

export interface BeginParts {
  readonly addresses: OwnAddresses;
  readonly clients: OwnClients;
  readonly finder: () => SignInFinder;
  readonly networks: Networks;
  readonly flows: FlowStore;
  readonly grants: Grants;
  readonly secrets: CallerSecrets;
  readonly requests: SecretRequests;
}

/** Begins a sign-in in a browser. */
export interface SignInLink {
  readonly url: string;
  /** What to do if the authorization server does not know this gateway; absent where it says how clients become known. */
  readonly ifUnknown?: string;
}

/** Prepares a sign-in of the request's caller at a server. @returns the link that begins it
 *  @throws SignInFault with what is wrong, and at which URL; GatewayError STORE_UNREACHABLE; the reason of the signal */
export async function beginSignIn(
  server: GuardedServer,
  request: InboundRequest,
  { parts, signal }: { readonly parts: BeginParts; readonly signal: AbortSignal },
): Promise<SignInLink> {
  const redirectUri = parts.addresses.callback;
  if (redirectUri === undefined) throw new SignInFault(NO_ADDRESS);
  const { url, challenges, auth } = server;
  const { authorizationServer: pinned, isFar } = auth;
  const found = await parts.finder().find({ ...pinned, url, challenges, isFar, signal });
  if ('fault' in found) throw new DiscoveryFault(found.fault);
  const { facts } = found;
  const network = parts.networks.of({ url, issuer: pinned?.issuer, isFar }, signal);
  const holder = holderOf(auth, request);
  const doubted = await parts.flows.clientLeft(holder.owner, server.name);
  const asked = { facts, auth, redirectUri, network, doubted };
  const client = await parts.clients.of(asked).catch((error: unknown) => {
    // Registration was tried at an address that nothing has named.
    throw facts.isAssumed && error instanceof SignInFault
      ? new DiscoveryFault(nothingAt(url), { cause: error })
      : error;
  });
  const { grant, missingScopes = [] } = (await parts.grants.find(holder.owner, server.name)) ?? {};
  const scope = scopesToAsk({
    facts,
    configured: pinned?.scopes,
    granted: grant?.scope,
    missing: missingScopes,
  });
  const resource = pinned?.resource === 'none' ? undefined : resourceOf(facts, url);
  const flow: SignInFlow = {
    server: server.name,
    url,
    holder,
    client,
    redirectUri,
    asker: askerOf(request),
    issuer: facts.issuer,
    namesIssuer: facts.namesIssuer,
    endpoints: facts.endpoints,
    isPinned: pinned !== undefined,
    ...(isFar && { isFar }),
    ...(resource !== undefined && { resource }),
    ...(scope !== undefined && { scope }),
    ...(pinned?.parameters !== undefined && { parameters: pinned.parameters }),
    begunAt: Date.now(),
  };
  const handle = await parts.flows.open(flow);
  await parts.grants.asked(holder, server.name, flow.begunAt + FLOW_SECONDS * 1_000);
  const link = `${parts.addresses.at(START_PATH) ?? ''}?state=${handle}`;
  const isAnnounced = facts.registration !== 'configured-only' || client.id !== parts.addresses.clientId;
  return { url: link, ...(!isAnnounced && { ifUnknown: unknownClient(facts.issuer, false) }) };
}

function nothingAt(serverUrl: string): string {
  const { origin, pathname } = new URL(serverUrl);
  const place = `${origin}/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}`;
  return `RFC 9728 protected resource metadata not found at ${place}, and no metadata of an authorization server at ${origin}`;
}

/** What the token is for. Servers of revision 2025-03-26 know no resources. Source: RFC 8707 §2; MCP 2025-11-25, Canonical Server URI */
function resourceOf({ resource, isOlder }: SignInFacts, serverUrl: string): string | undefined {
  if (resource !== undefined || isOlder) return resource;
  const url = new URL(serverUrl);
  url.hash = '';
  return url.pathname === '/' && url.search === '' ? url.origin : url.href;
}
