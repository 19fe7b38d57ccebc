import { isDeepStrictEqual } from 'node:util';
import { ConfigControl, STAGE } from 'pegboard';
import type { InboundRequest, Scope } from 'pegboard';
import {
  AuthorizationServer,
  BearerTokens,
  PageSignIn,
  ProviderTokens,
  SignInList,
} from '../contracts/oauth.ts';
import { Vault } from '../contracts/vault.ts';
import { Bearer } from './bearer/bearer.ts';
import { Possession } from './bearer/possession.ts';
import { Proofs } from './bearer/proofs.ts';
import { provideClients } from './clients/provideClients.ts';
import type { AuthServerConfig, ServerConfig } from './config.ts';
import { backchannelLogout } from './endpoints/backchannelLogout.ts';
import { introspect } from './endpoints/introspect.ts';
import { metadata } from './endpoints/metadata.ts';
import { pageSignIn } from './endpoints/pageSignIn.ts';
import { provideSignIn } from './endpoints/provideSignIn.ts';
import { register, registration } from './endpoints/register.ts';
import type { Gates } from './endpoints/register.ts';
import { revoke } from './endpoints/revoke.ts';
import { token } from './endpoints/token.ts';
import { userinfo } from './endpoints/userinfo.ts';
import { FreshIdTokens } from './grants/freshIdTokens.ts';
import { provideIssuing } from './grants/provideIssuing.ts';
import { accessAnswer } from './grants/tokenAnswer.ts';
import { ExternalCallers, isExternal, isExternalSession } from './provider/externalCallers.ts';
import { IdTokens } from './provider/idTokens.ts';
import { LogoutTokens } from './provider/logoutTokens.ts';
import { provideProvider } from './provider/provideProvider.ts';
import { providerTokens } from './providerTokens.ts';
import { secretsOf } from './secretsOf.ts';
import { sharedKey } from './state/sharedKey.ts';
import { sessionsTool } from './tools/sessionsTool.ts';
import { Web } from './web/web.ts';

/** Wires the endpoints and the taps. State is in the vault only. */
export function provideAuthorizationServer(scope: Scope<AuthServerConfig>): void {
  const config = (): ServerConfig => scope.config.aggregator.oauth.server;
  const directory = (): string => scope.get(ConfigControl).directory;
  const vault = (): Vault => scope.get(Vault);
  const left = (hasLeft: (request: InboundRequest) => boolean): void =>
    scope.emit({ type: 'callers.left', hasLeft });
  let registrationToken: string | undefined;
  const gates = (): Gates => ({ settings: config(), registrationToken });

  const web = new Web(scope);
  const { addresses } = web;
  const provider = provideProvider(scope, web);
  const clients = provideClients(scope);
  const issued = provideIssuing(scope, web, provider);
  const external = new ExternalCallers(() => sharedKey(vault(), 'external'));
  const idTokens = new IdTokens(provider, () => config().trustedAudiences, external, scope.log);
  const { signIns, accessTokens, refresh, grants } = issued;
  provideSignIn(scope, web, provider, clients, issued);
  scope.provide(
    PageSignIn,
    pageSignIn(issued, (request) => web.clientAddresses.of(request)),
  );
  const proofs = new Proofs(vault, () => config().requireDpopNonce);
  const possession = new Possession(proofs, (request) => web.clientAddresses.originsOf(request));
  const logoutTokens = new LogoutTokens(provider, () => config().idp.clientId, vault, scope.log);
  const checkAllowed = (redirectUris: readonly string[]): void => clients.allowed.check({ redirectUris });
  for (const endpoint of [
    ...metadata(addresses, grants, gates, config),
    register(
      registration(clients.registrations, gates, () => ({ settings: config() }), scope.log, checkAllowed),
    ),
    token(web.limit('perClient'), clients, grants, possession),
    revoke(clients, signIns, accessTokens, scope.log),
    introspect(clients, accessTokens, addresses),
    backchannelLogout(logoutTokens, issued.people, scope.log),
    ...userinfo(config),
  ])
    web.serve(endpoint);

  scope.provide(SignInList, issued.people);
  scope.addTool(sessionsTool(issued.people));
  scope.provide(
    ProviderTokens,
    providerTokens(
      new FreshIdTokens(signIns, refresh),
      (caller) => idTokens.isOf(caller),
      () => scope.all(BearerTokens),
    ),
  );
  scope.provide(AuthorizationServer, {
    issuer: () => addresses.base,
    providerIssuer: () => provider.issuer,
    isOwn: (resource) => addresses.isOwn(resource),
    callerOf: (person) => external.callerOf(person),
    isOwnSignIn: (caller) => !isExternal(caller),
    hasEnded: async (sid) => !isExternalSession(sid) && (await signIns.find(sid)) === undefined,
    issue: async ({ person, client, scope: granted, jkt }) => {
      const caller = await external.callerOf({ ...person, scope: granted, clientId: client.id });
      const holder = { caller, clientId: client.id, ...(jkt !== undefined && { jkt }) };
      return accessAnswer(await accessTokens.vouch(holder, granted), granted, jkt);
    },
  });
  const bearer = new Bearer(web, issued, possession, idTokens);
  scope.tap('onRequest', (request) => bearer.identify(request), STAGE.identify);
  scope.tap('onRequest', (request) => bearer.admit(request), STAGE.admit);

  scope.onStart(() => {
    ({ registrationToken } = secretsOf(config(), directory()));
    provider.start(() => secretsOf(config(), directory()).clientSecret);
    // Opened before sign-in was switched on.
    left(({ caller, access, method }) => caller === undefined && access === 'caller' && method !== undefined);
  });
  const { extraCaFile } = scope.config.aggregator;
  const { baseUrl, idp } = config();
  let { trustedAudiences } = config();
  scope.onReload((next) => {
    const { server } = next.aggregator.oauth;
    // The provider is known by them, and routes by the path of baseUrl.
    if (server.baseUrl !== baseUrl || !isDeepStrictEqual(server.idp, idp)) return false;
    if (next.aggregator.extraCaFile !== extraCaFile) return false;
    web.clientAddresses.trust(server.trustedProxyCIDRs);
    ({ registrationToken } = secretsOf(server, directory()));
    idTokens.forget();
    if (!isDeepStrictEqual(server.trustedAudiences, trustedAudiences))
      left(({ caller }) => isExternal(caller));
    ({ trustedAudiences } = server);
    return undefined;
  });
}
