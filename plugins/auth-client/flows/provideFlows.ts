import { ConfigControl } from 'pegboard';
import type { Scope } from 'pegboard';
import { AuthorizationServer, BrowserSignIn } from '../../contracts/oauth.ts';
import { BrowserCookie } from '../../kit/http/browserCookie.ts';
import { HttpListener, Route } from '../../contracts/http.ts';
import { LineLimit } from '../../kit/http/lineLimit.ts';
import { CallerCredentials, GuardedServers } from '../../contracts/credentials.ts';
import { SignInFinder } from '../../contracts/signIns.ts';
import { Vault } from '../../contracts/vault.ts';
import type { AuthClientConfig, ClientConfig } from '../config.ts';
import type { Networks } from '../discovery/network.ts';
import type { CallerSecrets } from '../grants/store/callerSecrets.ts';
import type { KeptGrant } from '../grants/record/grantRecord.ts';
import type { Grants } from '../grants/store/grants.ts';
import { Askers } from './askers.ts';
import type { BeginParts } from './beginSignIn.ts';
import { browserRoute } from './browserRoute.ts';
import { callback } from './callback.ts';
import { clientDocument } from './clientDocument.ts';
import { Connections } from './connections.ts';
import { FlowStore } from './flowStore.ts';
import { OwnAddresses, START_PATH } from './ownAddresses.ts';
import { OwnClients } from './ownClients.ts';
import { OwnRegistrations } from './ownRegistrations.ts';
import { SecretRequests } from './secretRequests.ts';
import { secretsPage } from './secretsPage.ts';
import { startEndpoints } from './startEndpoints.ts';

export interface SignInFlows {
  readonly begin: BeginParts;
  readonly connections: Connections;
  /** The authorization server of that grant no longer knows its client: the next sign-in registers again. */
  readonly clientLost: (grant: KeptGrant) => void;
}

/** The routes of sign-ins at servers, and what begins one. In apply() only. */
export function provideFlows(
  scope: Scope<AuthClientConfig>,
  grants: Grants,
  secrets: CallerSecrets,
  networks: Networks,
): SignInFlows {
  const { log } = scope;
  const config = (): ClientConfig => scope.config.aggregator.oauth.mcpClient;
  const vault = (): Vault => scope.get(Vault);
  const addresses = new OwnAddresses(
    config,
    () => scope.config.aggregator.oauth.server.baseUrl,
    () => scope.find(HttpListener)?.url(),
  );
  const flows = new FlowStore(vault);
  const requests = new SecretRequests(vault);
  const connections = new Connections(
    () => scope.find(CallerCredentials),
    () => scope.find(GuardedServers),
    log,
  );
  const registrations = new OwnRegistrations(vault);
  const cookie = new BrowserCookie({ name: 'pegboard-server-sign-in', isHttps: () => addresses.isHttps });
  const askers = new Askers(
    cookie,
    () => scope.find(BrowserSignIn),
    () => scope.find(AuthorizationServer),
  );
  const allowlist = (): readonly string[] => {
    const { postLoginRedirectAllowlist: list } = config();
    const next = addresses.at(START_PATH);
    // The next link, so that one click signs in at several servers.
    return next === undefined ? list : [...list, next];
  };
  const endpoints = [
    ...startEndpoints(flows, askers, allowlist, log),
    callback(config().callbackPath, { flows, askers, grants, registrations, networks, connections }),
    ...secretsPage(requests, secrets, askers, connections),
  ];
  const refusals = new LineLimit(log, () => 1);
  scope.onStop(() => refusals.end());
  for (const endpoint of endpoints) scope.provide(Route, browserRoute(endpoint, addresses, refusals));
  scope.provide(Route, clientDocument(addresses, config));
  const begin: BeginParts = {
    addresses,
    clients: new OwnClients(addresses, registrations, () => scope.get(ConfigControl).directory),
    flows,
    grants,
    secrets,
    requests,
    networks,
    finder: () => scope.get(SignInFinder),
  };
  const clientLost = ({ issuer, client }: KeptGrant): void => {
    registrations.forget(issuer, addresses.callback ?? '', client).catch((error: unknown) => {
      log.warn('a registration that is no longer known cannot be forgotten', { issuer, error });
    });
  };
  return { begin, connections, clientLost };
}
