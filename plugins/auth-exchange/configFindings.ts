import type { Finding, Settings } from 'pegboard';
import type {
  AuthExchangeConfig,
  BrokerClient,
  BrokerConfig,
  BrokerTarget,
  TrustedIssuer,
} from './config.ts';
import { withoutSlash } from '../kit/oauth/exchangeTarget.ts';

const PLACE = ['aggregator', 'oauth', 'server'];
const BROKER = 'tokenExchangeBroker';
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
const EXCHANGE_KEYS = [
  ...['idpTokenEndpoint', 'expectedIssuer', 'connectorId', 'scopes'],
  ...['audience', 'resource', 'requestedTokenType', 'subjectTokenType'],
  ...['clientId', 'clientSecretFile', 'clientCredentialsSecretRef'],
] as const;

type Path = readonly (string | number)[];

/** What the schema cannot say, and switches that weaken the exchange. */
export function configFindings({ aggregator }: AuthExchangeConfig, settings: Settings): readonly Finding[] {
  const { trustedIssuers, tokenExchangeBroker: broker } = aggregator.oauth.server;
  return [
    ...trustedIssuers.flatMap((issuer, at) => issuerFindings(issuer, ['trustedIssuers', at])),
    ...(broker === undefined ? [] : brokerFindings(broker, trustedIssuers.length > 0)),
    ...(broker === undefined || settings.orchestrator ? [] : unreadFindings(broker)),
    ...(broker === undefined ? [] : grantFindings(broker, trustedIssuers, providerIn(settings))),
  ];
}

function issuerFindings(issuer: TrustedIssuer, at: Path): readonly Finding[] {
  const { allowedAudiences, allowedClaims, allowPrivateIPJWKS, jwksUrl } = issuer;
  const isOpen = allowedAudiences.length === 0 && Object.keys(allowedClaims).length === 0;
  return [
    ...errorAt([...at, 'jwksUrl'], addressFault(jwksUrl, 'keys are read there')),
    ...warningAt(
      [...at, 'allowPrivateIPJWKS'],
      allowPrivateIPJWKS && 'lets the keys have a private address: remove it unless theirs have one',
    ),
    ...warningAt(
      [...at, 'issuer'],
      isOpen && 'has neither allowedAudiences nor allowedClaims: all its people and clients are trusted',
    ),
  ];
}

function brokerFindings(broker: BrokerConfig, hasIssuers: boolean): readonly Finding[] {
  const { targets, brokerClients, clientAudiences, allowPrivateIP } = broker;
  return [
    ...Object.entries(targets).flatMap(([name, target]) => targetFindings(target, [BROKER, 'targets', name])),
    ...Object.entries(brokerClients).flatMap(([id, client]) =>
      clientFindings(client, [BROKER, 'brokerClients', id]),
    ),
    ...Object.entries(clientAudiences).flatMap(([id, names]) =>
      names.flatMap((name, at) =>
        warningAt(
          [BROKER, 'clientAudiences', id, at],
          !Object.hasOwn(targets, name) && `names ${JSON.stringify(name)}, which is not in targets`,
        ),
      ),
    ),
    ...warningAt(
      [BROKER, 'allowPrivateIP'],
      allowPrivateIP && 'lets token endpoints have private addresses: tokens are sent there',
    ),
    ...warningAt(
      [BROKER],
      !hasIssuers && 'has no effect without trustedIssuers: no subject token can be accepted',
    ),
  ];
}

function targetFindings(target: BrokerTarget, at: Path): readonly Finding[] {
  const { idpTokenEndpoint, grantIssuer, connectorId, audience, resource, clientId, clientSecretFile } =
    target;
  if (grantIssuer !== undefined) {
    const others = EXCHANGE_KEYS.filter((key) => target[key] !== undefined);
    if (others.length > 0)
      return errorAt(at, `has grantIssuer, which excludes ${others.join(', ')}; remove one or the other`);
    return errorAt([...at, 'grantIssuer'], addressFault(grantIssuer, 'it is an issuer'));
  }
  if (idpTokenEndpoint === undefined)
    return errorAt(
      at,
      'has neither idpTokenEndpoint (exchange form) nor grantIssuer (grant form); write one',
    );
  const needsFile = target.clientCredentialsSecretRef === undefined;
  return [
    ...errorAt(
      [...at, 'idpTokenEndpoint'],
      addressFault(idpTokenEndpoint, 'tokens and a secret are sent there'),
    ),
    ...errorAt(
      at,
      (connectorId ?? audience ?? resource) === undefined &&
        'has no connectorId (Dex), audience (Keycloak) or resource; write what the provider needs',
    ),
    ...errorAt(
      at,
      needsFile &&
        (clientId === undefined || clientSecretFile === undefined) &&
        'has no credentials; write clientId and clientSecretFile, or clientCredentialsSecretRef',
    ),
    ...secretRefFindings(target, at),
  ];
}

/** Grants belong to people of the login provider, so that no other issuer's tokens release them. */
function grantFindings(
  { targets }: BrokerConfig,
  issuers: readonly TrustedIssuer[],
  provider: string | undefined,
): readonly Finding[] {
  if (provider === undefined || issuers.some(({ issuer }) => withoutSlash(issuer) === withoutSlash(provider)))
    return [];
  return Object.entries(targets).flatMap(([name, { grantIssuer }]) =>
    warningAt(
      [BROKER, 'targets', name, 'grantIssuer'],
      grantIssuer !== undefined &&
        `releases nothing: only tokens of the login provider count here; add ${provider} to trustedIssuers`,
    ),
  );
}

function providerIn({ aggregator }: Settings): string | undefined {
  const { server } = (aggregator['oauth'] ?? {}) as {
    readonly server?: { readonly idp?: { readonly issuerUrl?: string } };
  };
  return server?.idp?.issuerUrl;
}

function clientFindings(client: BrokerClient, at: Path): readonly Finding[] {
  const hasSource = client.clientSecretFile !== undefined || client.clientCredentialsSecretRef !== undefined;
  return [
    ...errorAt(at, !hasSource && 'has no secret; write clientSecretFile, or clientCredentialsSecretRef'),
    ...secretRefFindings(client, at),
  ];
}

function secretRefFindings(
  { clientCredentialsSecretRef, clientSecretFile }: BrokerTarget | BrokerClient,
  at: Path,
): readonly Finding[] {
  const hasBoth = clientCredentialsSecretRef !== undefined && clientSecretFile !== undefined;
  return errorAt(at, hasBoth && 'has clientSecretFile and clientCredentialsSecretRef; remove one of them');
}

/** The findings about secrets of an orchestrator where there is none. */
function unreadFindings({ targets, brokerClients }: BrokerConfig): readonly Finding[] {
  return Object.entries({ targets, brokerClients }).flatMap(([key, entries]) =>
    Object.entries(entries).flatMap(([name, entry]) =>
      warningAt(
        [BROKER, key, name, 'clientCredentialsSecretRef'],
        entry.clientCredentialsSecretRef !== undefined &&
          entry.clientSecretFile === undefined &&
          !('grantIssuer' in entry) &&
          'is read in orchestrator mode only: until then this entry is left out; write clientSecretFile',
      ),
    ),
  );
}

function errorAt(path: Path, text: string | false | undefined): readonly Finding[] {
  return findingAt(path, text, 'error');
}
function warningAt(path: Path, text: string | false): readonly Finding[] {
  return findingAt(path, text, 'warning');
}

/** @param path below aggregator.oauth.server @param text false or undefined: no finding */
export function findingAt(
  path: Path,
  text: string | false | undefined,
  severity: 'error' | 'warning',
): readonly Finding[] {
  if (text === undefined || text === false) return [];
  const full = [...PLACE, ...path];
  return [{ path: full, message: `${full.join('.')} ${text}`, severity }];
}

/** @param why https is needed */
function addressFault(text: string, why: string): string | undefined {
  if (!URL.canParse(text)) return `must be an address that begins with https://, not ${JSON.stringify(text)}`;
  const { protocol, hostname, username, password, hash } = new URL(text);
  if (username + password + hash !== '') return 'must not have a user or a fragment';
  if (protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname))) return undefined;
  return `must begin with https:// (http:// only for localhost), because ${why}`;
}
