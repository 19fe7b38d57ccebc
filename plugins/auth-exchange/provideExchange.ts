import { ConfigControl, STAGE, messageOf } from 'pegboard';
import type { Scope } from 'pegboard';
import { GuardedFetchError, guardedFetch } from 'pegboard/net';
import type { ProxySettings } from 'pegboard/net';
import { GrantRelease } from '../contracts/credentials.ts';
import { AuthorizationServer, BearerTokens, ClientSource, Grant } from '../contracts/oauth.ts';
import { SecretSource } from '../contracts/secrets.ts';
import { fetchTrust } from '../kit/tls/fetchTrust.ts';
import { Vault } from '../contracts/vault.ts';
import { Downstream } from '../kit/oauth/downstream.ts';
import { NETWORK_BOUNDS } from '../kit/oauth/networkBounds.ts';
import { AssertionGrant } from './assertion/assertionGrant.ts';
import { BrokerClients } from './broker/brokerClients.ts';
import { DownstreamTokens } from './broker/downstreamTokens.ts';
import { ExchangeGrant } from './broker/exchangeGrant.ts';
import { GrantReleases } from './broker/grantReleases.ts';
import { Targets } from './broker/targets.ts';
import type { AuthExchangeConfig, BrokerConfig, TrustedIssuer } from './config.ts';
import { KeySet } from './trust/keySet.ts';
import { TrustedIssuers } from './trust/trustedIssuers.ts';
import { TrustedBearer } from './trustedBearer.ts';

const BROKER = 'aggregator.oauth.server.tokenExchangeBroker';
const NO_BROKER: BrokerConfig = {
  clientAudiences: {},
  targets: {},
  brokerClients: {},
  allowPrivateIP: false,
};

/** Wires the grants and the tap. A change of the configuration begins anew, so that nothing of the former one is used. */
export function provideExchange(scope: Scope<AuthExchangeConfig>): void {
  const { log, signal } = scope;
  const { extraCaFile, oauth } = scope.config.aggregator;
  const proxies = (): ProxySettings => scope.config.aggregator;
  const { trustedIssuers, tokenExchangeBroker: given = NO_BROKER } = oauth.server;
  const isOrchestrated = scope.get(ConfigControl).settings().orchestrator;
  const broker = isOrchestrated ? given : withoutSecretRefs(given);
  const server = (): AuthorizationServer => scope.get(AuthorizationServer);
  const directory = (): string => scope.get(ConfigControl).directory;
  const trust = fetchTrust({ extraCaFile: () => extraCaFile, hosts: () => oauth.tls, directory, log });

  const keysOf = ({ issuer, jwksUrl: url, allowPrivateIPJWKS: allowPrivate }: TrustedIssuer): KeySet =>
    new KeySet({
      url,
      signal,
      fetch: guardedFetch({ ...NETWORK_BOUNDS, allowPrivate, proxies, trust }),
      failed: (error) => {
        const isPrivate = error instanceof GuardedFetchError && error.reason === 'private-address';
        log.warn('the keys of a trusted issuer cannot be read', {
          issuer,
          reason: messageOf(error),
          ...(isPrivate && {
            fix: 'if they may have a private address, set allowPrivateIPJWKS of this issuer',
          }),
        });
      },
    });
  const issuers = new TrustedIssuers({
    issuers: trustedIssuers,
    keysOf,
    log,
    ownIssuer: () => server().issuer(),
    isOwn: (resource) => server().isOwn(resource),
  });

  const secrets = (): SecretSource | undefined => scope.find(SecretSource);
  scope.provide(ClientSource, new BrokerClients({ clients: broker.brokerClients, directory, secrets, log }));
  const downstream = Downstream.open({
    trust,
    proxies,
    directory,
    secrets,
    log,
    allowPrivate: broker.allowPrivateIP,
    privateKey: `${BROKER}.allowPrivateIP`,
  });
  const tokens = new DownstreamTokens(downstream);
  if (trustedIssuers.some(({ allowIdentityAssertions }) => allowIdentityAssertions))
    scope.provide(Grant, new AssertionGrant(issuers, server, () => scope.get(Vault), log));
  const releases = new GrantReleases(() => scope.find(GrantRelease), server);
  scope.provide(Grant, new ExchangeGrant({ issuers, targets: new Targets(broker), tokens, releases, log }));

  const bearer = new TrustedBearer(issuers, server, log);
  scope.provide(BearerTokens, bearer);
  scope.tap('onRequest', (request) => bearer.identify(request), STAGE.identify);

  scope.onStop(() => scope.emit({ type: 'callers.left', hasLeft: (request) => bearer.isOf(request) }));
}

/** Nothing reads them in file mode; what has no other credentials is left out, as `check` warns. */
function withoutSecretRefs(broker: BrokerConfig): BrokerConfig {
  const without = <T extends object>(entries: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, withoutSecretRef(entry)]));
  return { ...broker, targets: without(broker.targets), brokerClients: without(broker.brokerClients) };
}

function withoutSecretRef<T extends object>(entry: T): T {
  const kept = Object.entries(entry).filter(([key]) => key !== 'clientCredentialsSecretRef');
  return Object.fromEntries(kept) as T;
}
