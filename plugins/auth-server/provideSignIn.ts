import { ConfigControl, STAGE, parseDuration } from 'pegboard';
import type { Scope } from 'pegboard';
import { Route } from '../http/contract.ts';
import { Bearer } from './bearer/bearer.ts';
import type { Client } from './clients/client.ts';
import { Clients } from './clients/clients.ts';
import type { AuthServerConfig, ServerConfig } from './config.ts';
import { authorize } from './endpoints/authorize.ts';
import { callback } from './endpoints/callback.ts';
import { consent } from './endpoints/consent.ts';
import { metadata } from './endpoints/metadata.ts';
import { token } from './endpoints/token.ts';
import { CodeGrant } from './grants/codeGrant.ts';
import type { Grant } from './grants/grant.ts';
import { RefreshGrant } from './grants/refreshGrant.ts';
import { IdentityProvider } from './provider/identityProvider.ts';
import { secretsOf } from './secretsOf.ts';
import { AccessTokens } from './state/accessTokens.ts';
import { Codes } from './state/codes.ts';
import { Flows } from './state/flows.ts';
import { Processes } from './state/processes.ts';
import { SignIns } from './state/signIns.ts';
import { AddressLimit } from './web/addressLimit.ts';
import { Addresses } from './web/addresses.ts';
import { oauthRoute } from './web/oauthRoute.ts';
import type { RouteParts } from './web/oauthRoute.ts';

const REQUESTS_PER_SECOND = 100;

/** Wires the endpoints and the taps. State is in the vault only. */
export function provideSignIn(scope: Scope<AuthServerConfig>): void {
  const { log } = scope;
  const config = (): ServerConfig => scope.config.aggregator.oauth.server;
  const addresses = new Addresses(config);
  const signIns = new SignIns(scope, (id) => accessTokens.forget(id));
  const accessTokens = new AccessTokens(scope, signIns, () => addresses.audience);
  const flows = new Flows(scope);
  const codes = new Codes(scope);
  const clients = new Clients(scope);
  const processes = new Processes(scope);
  const sessionMs = (): number => parseDuration(config().sessionDuration) ?? 0;
  let identityProvider: IdentityProvider | undefined;
  const provider = (): IdentityProvider => {
    if (identityProvider === undefined) throw new Error('the identity provider is used before onStart');
    return identityProvider;
  };

  const authorizeParts = {
    ...{ clients, flows, addresses, provider },
    scopes: () => config().idp.scopes,
    checkRedirectUri: () => Promise.resolve(),
    needsConsent: (client: Client) => needsConsent(client, config()),
  };
  const common = { signIns, accessTokens, processes, addresses, sessionMs, log };
  const grants: readonly Grant[] = [
    new CodeGrant({ ...common, codes }),
    new RefreshGrant({ ...common, provider }),
  ];
  const parts: RouteParts = {
    log,
    limit: new AddressLimit(REQUESTS_PER_SECOND, 1),
    addressOf: ({ remoteAddress = '' }) => remoteAddress,
    isHttps: () => addresses.isHttps,
  };
  for (const endpoint of [
    ...metadata({ addresses, canRegister: () => false, hasDocuments: () => false }),
    authorize(authorizeParts),
    consent(authorizeParts),
    callback({ flows, codes, addresses, provider, log }),
    token({ clients, grants: () => grants, jktOf: () => Promise.resolve(undefined) }),
  ])
    scope.provide(Route, oauthRoute(endpoint, parts));

  const bearer = new Bearer({
    ...{ accessTokens, addresses, log },
    isProviderReady: () => provider().isReady,
    checkProof: () => undefined,
  });
  scope.tap('onRequest', (request) => bearer.identify(request), STAGE.identify);
  scope.tap('onRequest', (request) => bearer.admit(request), STAGE.admit);

  scope.onStart(() => {
    const { idp } = config();
    const { clientSecret } = secretsOf(config(), scope.get(ConfigControl).directory);
    identityProvider = new IdentityProvider({
      ...{ issuerUrl: idp.issuerUrl, clientId: idp.clientId, connectorId: idp.connectorId, clientSecret },
      redirectUri: addresses.at('/oauth/callback'),
      fetch: (url, options) => fetch(url, options as RequestInit),
      log,
    });
    identityProvider.start();
  });
  scope.onStop(() => identityProvider?.stop());
}

/** A client that anyone could have registered may have been made by an attacker, unless the code can only reach this person's machine. */
function needsConsent(
  { id, origin, redirectUris }: Client,
  { consent, trustedClients }: ServerConfig,
): boolean {
  if (consent !== 'auto') return consent === 'always' && !trustedClients.includes(id);
  if (trustedClients.includes(id) || origin === 'token' || origin === 'trusted') return false;
  return !redirectUris.every((uri) => /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])[:/]/.test(uri));
}
