import { isDeepStrictEqual } from 'node:util';
import { ConfigControl, STAGE } from 'pegboard';
import type { InboundRequest, Scope } from 'pegboard';
import { guardedFetch } from 'pegboard/net';
import type { ProxySettings } from 'pegboard/net';
import { parseDuration } from '../kit/text/parseDuration.ts';
import { BrowserCookie } from '../kit/http/browserCookie.ts';
import { Route } from '../contracts/http.ts';
import { MetricSource } from '../contracts/metrics.ts';
import { fetchTrust } from '../kit/tls/fetchTrust.ts';
import { Vault } from '../contracts/vault.ts';
import {
  AuthorizationServer,
  BearerTokens,
  BrowserSignIn,
  ClientSource,
  Grant,
  ProviderTokens,
  SignInScopes,
} from '../contracts/oauth.ts';
import { Bearer } from './bearer/bearer.ts';
import { Possession } from './bearer/possession.ts';
import { Proofs } from './bearer/proofs.ts';
import { ClientDocuments, DOCUMENT_BOUNDS } from './clients/clientDocuments.ts';
import { Clients } from './clients/clients.ts';
import { Registrations } from './clients/registrations.ts';
import type { AuthServerConfig, ServerConfig } from './config.ts';
import { authorize } from './endpoints/authorize.ts';
import { browserSignIn } from './endpoints/browserSignIn.ts';
import { providerCallback } from './endpoints/providerCallback.ts';
import { consent } from './endpoints/consent.ts';
import { introspect } from './endpoints/introspect.ts';
import { metadata } from './endpoints/metadata.ts';
import { register, registration } from './endpoints/register.ts';
import type { Gates } from './endpoints/register.ts';
import { revoke } from './endpoints/revoke.ts';
import { token } from './endpoints/token.ts';
import { userinfo } from './endpoints/userinfo.ts';
import { accessAnswer } from './grants/tokenAnswer.ts';
import { CodeGrant } from './grants/codeGrant.ts';
import { FreshIdTokens } from './grants/freshIdTokens.ts';
import { ProviderAhead } from './grants/providerAhead.ts';
import { ProviderTurns } from './grants/providerTurns.ts';
import { RefreshGrant } from './grants/refreshGrant.ts';
import { AskedScopes } from './provider/askedScopes.ts';
import { providerFetch } from './provider/providerFetch.ts';
import { IdentityProvider } from './provider/identityProvider.ts';
import { ExternalCallers, isExternal, isExternalSession } from './provider/externalCallers.ts';
import { IdTokens } from './provider/idTokens.ts';
import { providerTokens } from './providerTokens.ts';
import { secretsOf } from './secretsOf.ts';
import { SignInCounts } from './web/signInCounts.ts';
import { AccessTokens } from './state/accessTokens.ts';
import { BrowserPeople } from './state/browserPeople.ts';
import { callerOfSignIn } from './state/callerOf.ts';
import { Codes } from './state/codes.ts';
import { Flows } from './state/flows.ts';
import { Attempts } from './state/attempts.ts';
import { sharedKey } from './state/sharedKey.ts';
import type { SignIn } from './state/signIn.ts';
import { SignIns } from './state/signIns.ts';
import { Addresses } from './web/addresses.ts';
import { ClientAddresses } from './web/clientAddresses.ts';
import { requestLimit } from './web/countRequest.ts';
import { oauthRoute } from './web/oauthRoute.ts';
import { Refusals } from './web/refusals.ts';

/** Wires the endpoints and the taps. State is in the vault only. */
export function provideAuthorizationServer(scope: Scope<AuthServerConfig>): void {
  const { log } = scope;
  const config = (): ServerConfig => scope.config.aggregator.oauth.server;
  const vault = (): Vault => scope.get(Vault);
  const addresses = new Addresses(config);
  const counts = new SignInCounts();
  scope.provide(MetricSource, counts);
  const left = (hasLeft: (request: InboundRequest) => boolean): void =>
    scope.emit({ type: 'callers.left', hasLeft });
  const signIns = new SignIns(
    scope,
    (id) => {
      accessTokens.forget(id);
      left(({ caller }) => caller?.claims?.['sid'] === id);
      counts.ended();
      scope.emit({ type: 'signIn.ended', sid: id });
    },
    () => provider.issuer,
  );
  const accessTokens = new AccessTokens(scope, signIns, () => addresses.audience);
  const flows = new Flows(scope);
  const codes = new Codes(scope);
  const attempts = new Attempts(scope);
  const sessionMs = (): number => parseDuration(config().sessionDuration) ?? 0;
  const cookieOf = (name: string): BrowserCookie =>
    new BrowserCookie({ name, isHttps: () => addresses.isHttps });
  const browsers = cookieOf('pegboard-browser');
  const people = new BrowserPeople(scope, cookieOf('pegboard-person'), sessionMs);

  const directory = (): string => scope.get(ConfigControl).directory;
  const trusting = { extraCaFile: () => scope.config.aggregator.extraCaFile, directory, log };
  const proxies = (): ProxySettings => scope.config.aggregator;
  const registrations = new Registrations(vault, sessionMs);
  const fetchDocument = guardedFetch({
    ...DOCUMENT_BOUNDS,
    get allowPrivate() {
      return config().allowPrivateIPClientMetadata;
    },
    // Clients choose the host: nothing is shown there.
    trust: fetchTrust(trusting),
    proxies,
  });
  const documents = new ClientDocuments(fetchDocument);
  const hasDocuments = (): boolean => config().enableCIMD;
  const clients = new Clients(() => scope.all(ClientSource), registrations, documents, hasDocuments);
  let registrationToken: string | undefined;
  const gates = (): Gates => ({ settings: config(), registrationToken });

  const clientAddresses = new ClientAddresses(config().trustedProxyCIDRs, () => addresses.base, log);

  const fetchProvider = providerFetch({
    allowPrivate: config().idp.allowPrivateIPOIDC,
    trust: fetchTrust({ ...trusting, hosts: () => scope.config.aggregator.oauth.tls }),
    proxies,
  });
  const provider = new IdentityProvider(config().idp, addresses.at('/oauth/callback'), fetchProvider, log);
  const externalCallers = new ExternalCallers(() => sharedKey(vault(), 'external'));
  const idTokens = new IdTokens(provider, () => config().trustedAudiences, externalCallers, log);

  const asked = new AskedScopes(
    () => config().idp.scopes,
    () => scope.all(SignInScopes),
    log,
  );
  const leg = { flows, addresses, browsers, provider, scopes: () => asked.list() };
  const issuing = { signIns, accessTokens, attempts, addresses, sessionMs, log };
  const begun = (signIn: SignIn): void => {
    counts.begun();
    scope.emit({ type: 'signIn.begun', caller: callerOfSignIn(signIn) });
  };
  const turns = new ProviderTurns(signIns, attempts, provider);
  const ahead = new ProviderAhead(issuing, turns);
  const own = [new CodeGrant(issuing, codes, begun), new RefreshGrant(issuing, turns, ahead)];
  const grants = (): readonly Grant[] => [...own, ...scope.all(Grant)];
  const proofs = new Proofs(vault, () => config().requireDpopNonce);
  const possession = new Possession(proofs, (request) => clientAddresses.originsOf(request));
  const limits = (): ServerConfig['rateLimits'] => config().rateLimits;
  const refusals = new Refusals(log, limits, clientAddresses);
  for (const endpoint of [
    ...metadata(addresses, grants, gates, hasDocuments),
    register(registration(registrations, gates, () => ({ settings: config() }), log)),
    authorize(leg, clients, config),
    consent(leg),
    providerCallback(leg, codes, people),
    token(
      requestLimit(() => limits().perClient),
      clients,
      grants,
      possession,
    ),
    revoke(clients, signIns, accessTokens, provider, log),
    introspect(clients, accessTokens, addresses),
    ...userinfo(),
  ])
    scope.provide(Route, oauthRoute(endpoint, addresses, refusals, counts));

  scope.provide(
    ProviderTokens,
    providerTokens(
      new FreshIdTokens(signIns, ahead),
      (caller) => idTokens.isOf(caller),
      () => scope.all(BearerTokens),
    ),
  );
  scope.provide(BrowserSignIn, browserSignIn(leg, people));
  scope.provide(AuthorizationServer, {
    issuer: () => addresses.base,
    providerIssuer: () => provider.issuer,
    isOwn: (resource) => addresses.isOwn(resource),
    callerOf: (person) => externalCallers.callerOf(person),
    isOwnSignIn: (caller) => !isExternal(caller),
    hasEnded: async (sid) => !isExternalSession(sid) && (await signIns.find(sid)) === undefined,
    issue: async ({ person, client, scope: granted, jkt }) => {
      const caller = await externalCallers.callerOf({ ...person, scope: granted, clientId: client.id });
      const holder = { caller, clientId: client.id, ...(jkt !== undefined && { jkt }) };
      return accessAnswer(await accessTokens.vouch(holder, granted), granted, jkt);
    },
  });

  const bearer = new Bearer({
    accessTokens,
    possession,
    addresses,
    refusals,
    used: (access) => ahead.used(access),
    findIdToken: (text) => idTokens.find(text),
    provider,
    personLimit: requestLimit(() => limits().perPerson),
  });
  scope.tap('onRequest', (request) => bearer.identify(request), STAGE.identify);
  scope.tap('onRequest', (request) => bearer.admit(request), STAGE.admit);

  scope.onStart(() => {
    const secrets = secretsOf(config(), directory());
    registrationToken = secrets.registrationToken;
    provider.start(secrets.clientSecret);
    // Opened before sign-in was switched on.
    left(({ caller, access, method }) => caller === undefined && access === 'caller' && method !== undefined);
  });
  scope.onStop(() => {
    refusals.end();
    provider.stop();
  });
  const { extraCaFile } = scope.config.aggregator;
  const { baseUrl, idp } = config();
  let { trustedAudiences } = config();
  scope.onReload((next) => {
    const { server } = next.aggregator.oauth;
    // The provider is known by them, and routes by the path of baseUrl.
    if (server.baseUrl !== baseUrl || !isDeepStrictEqual(server.idp, idp)) return false;
    if (next.aggregator.extraCaFile !== extraCaFile) return false;
    clientAddresses.trust(server.trustedProxyCIDRs);
    ({ registrationToken } = secretsOf(server, directory()));
    idTokens.forget();
    if (!isDeepStrictEqual(server.trustedAudiences, trustedAudiences))
      left(({ caller }) => isExternal(caller));
    ({ trustedAudiences } = server);
    return undefined;
  });
}
