import { messageOf } from 'pegboard';
import { hiderOf } from 'pegboard/kit';
import type { Scope } from 'pegboard';
import { CallerCredentials, GrantRelease, GrantStore, GuardedServers } from '../contracts/credentials.ts';
import type { GuardedServer } from '../contracts/credentials.ts';
import { SignInStatuses } from '../contracts/signIns.ts';
import { AuthorizationServer, SignInScopes } from '../contracts/oauth.ts';
import { MetricSource } from '../contracts/metrics.ts';
import { CallSecrets } from '../contracts/secrets.ts';
import type { AuthClientConfig } from './config.ts';
import { provideFlows } from './flows/provideFlows.ts';
import type { SignInFlows } from './flows/provideFlows.ts';
import { revokeGrant } from './flows/revokeGrant.ts';
import { CallerSecrets } from './grants/store/callerSecrets.ts';
import { EndedGrants } from './grants/endedGrants.ts';
import { Credentials } from './grants/credentials/credentials.ts';
import { grantMetrics } from './grants/credentials/grantMetrics.ts';
import { GrantNews } from './grants/store/grantNews.ts';
import { forwardedAudiences } from '../kit/oauth/authRules.ts';
import { Grants } from './grants/store/grants.ts';
import { Releases } from './grants/credentials/releases.ts';
import { Networks } from './discovery/network.ts';
import type { Outside } from './discovery/network.ts';
import { singleSignOn } from './grants/sources/singleSignOn.ts';
import { refreshedGrant } from './grants/refresh/refreshedGrant.ts';
import { Refresher } from './grants/refresh/refresher.ts';
import { RefreshTimers } from './grants/refresh/refreshTimers.ts';
import { StoredGrants } from './grants/credentials/storedGrants.ts';
import { Statuses } from './grants/credentials/statuses.ts';

/** Wires the sign-in of callers at MCP servers: grants, then routes. In apply() only. */
export function provideSignIn(scope: Scope<AuthClientConfig>, outside: Outside): SignInFlows {
  const { log } = scope;
  const networks = new Networks(outside, scope.signal);
  const news = new GrantNews(log, scope.emit.bind(scope));
  const grants = new Grants(scope, news);
  const secrets = new CallerSecrets(scope);
  const refresher = new Refresher({
    scope,
    grants,
    news,
    request: (grant) => refreshedGrant(grant, networks),
    clientLost: (grant) => {
      flows.clientLost(grant);
    },
  });
  const servers = (): readonly GuardedServer[] => scope.find(GuardedServers)?.all() ?? [];
  const credentials = new Credentials({
    grants,
    refresher,
    news,
    log,
    secrets,
    servers,
    timers: new RefreshTimers(scope),
    ...singleSignOn(scope, outside),
  });
  scope.provide(CallerCredentials, credentials);
  scope.provide(GrantRelease, new Releases(grants, credentials, servers));
  scope.provide(SignInScopes, {
    audiences: () => forwardedAudiences(servers()),
    wantedBy: (audience) =>
      servers().flatMap((one) => (forwardedAudiences([one]).includes(audience) ? one.name : [])),
  });
  const server = (name: string) => scope.find(GuardedServers)?.get(name);
  scope.provide(MetricSource, grantMetrics(grants, refresher.counts, server));
  scope.provide(SignInStatuses, new Statuses(grants, secrets, credentials, server));
  scope.provide(CallSecrets, {
    hiderFor: ({ tool, request }) => {
      const called = tool.server === undefined ? undefined : server(tool.server);
      if (called?.isPersonal !== true) return undefined;
      const { secrets: texts } = credentials.of(called, request);
      return texts.length === 0 ? undefined : hiderOf(texts.map((text) => ({ name: 'credential', text })));
    },
  });
  const flows = provideFlows(scope, grants, secrets, networks);

  scope.provide(
    GrantStore,
    new StoredGrants({
      grants,
      secrets,
      credentials,
      server,
      refresh: (cell, token) => refresher.refresh(cell, token),
      disconnect: (owner, name) => flows.connections.end(owner, name),
      revoke: (grant) => revokeGrant(grant, networks),
    }),
  );

  // Another process has discarded a grant: what was begun with it here ends too.
  const settle = async (owner: string, name: string): Promise<void> => {
    const { grant, lost } = (await grants.current(grants.cell(owner, name))) ?? {};
    if (grant === undefined && lost === undefined) await server(name)?.disconnect(owner, true);
  };
  grants.followOthers((owner, name) => {
    if (owner === undefined || name === undefined) return;
    settle(owner, name).catch((error: unknown) => {
      log.warn('a grant that another process has changed could not be read', { reason: messageOf(error) });
    });
  });

  const ended = new EndedGrants({
    grants,
    credentials,
    server,
    ownSignIn: () => scope.find(AuthorizationServer),
    revoke: (grant) => revokeGrant(grant, networks),
    log,
  });
  scope.tap('onEvent', (event) => {
    if (event.type === 'signIn.ended') ended.ofSession(event.sid);
    if (event.type === 'signIn.lastEnded') ended.ofPerson(event);
  });
  scope.onStart(() => ended.start());
  scope.onStop(() => ended.stop());

  scope.tap('onConfigApply', ({ removed }) => {
    for (const { kind, name } of removed) if (kind === 'MCPServer') credentials.forgetServer(name);
  });

  const { enabled, callbackPath, cimd, tokenExchange } = scope.config.aggregator.oauth.mcpClient;
  const { extraCaFile } = scope.config.aggregator;
  scope.onReload(({ aggregator }) => {
    const { mcpClient } = aggregator.oauth;
    // Routes have their paths from the start on.
    const isSame =
      mcpClient.enabled === enabled &&
      mcpClient.callbackPath === callbackPath &&
      mcpClient.cimd.path === cimd.path &&
      mcpClient.tokenExchange.allowPrivateIP === tokenExchange.allowPrivateIP;
    return isSame && aggregator.extraCaFile === extraCaFile ? undefined : false;
  });
  return flows;
}
