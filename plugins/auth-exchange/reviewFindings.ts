import { isObject, messageOf } from 'pegboard';
import type { Finding, Resource, ReviewFacts } from 'pegboard';
import { GuardedFetchError, guardedFetch } from 'pegboard/net';
import { fetchTrust } from '../kit/tls/fetchTrust.ts';
import { secretIn } from '../kit/oauth/secretIn.ts';
import { NETWORK_BOUNDS } from '../kit/oauth/networkBounds.ts';
import type { AuthExchangeConfig, BrokerConfig, TrustedIssuer } from './config.ts';
import { findingAt } from './configFindings.ts';
import { readKeys } from './trust/readKeys.ts';

/** What needs the machine: files of secrets that cannot be read, and with --online the keys of the issuers. */
export async function reviewFindings({
  config,
  directory,
  isOnline,
  resources,
}: ReviewFacts<AuthExchangeConfig>): Promise<readonly Finding[]> {
  const { extraCaFile, oauth } = config.aggregator;
  const { trustedIssuers, tokenExchangeBroker: broker } = oauth.server;
  const found =
    broker === undefined ? [] : [...secretFindings(broker, directory), ...pinFindings(broker, resources)];
  if (!isOnline) return found;
  const trust = fetchTrust({
    extraCaFile: () => extraCaFile,
    hosts: () => oauth.tls,
    directory: () => directory,
  });
  const read = async (issuer: TrustedIssuer, at: number): Promise<readonly Finding[]> => {
    const { allowPrivateIPJWKS: allowPrivate, jwksUrl } = issuer;
    const fetch = guardedFetch({
      ...NETWORK_BOUNDS,
      allowPrivate,
      trust,
      proxies: () => config.aggregator,
    });
    const fault = await readKeys(jwksUrl, fetch).then(() => undefined, unreadableText);
    return findingAt(['trustedIssuers', at, 'jwksUrl'], fault, 'error');
  };
  return [...found, ...(await Promise.all(trustedIssuers.map(read))).flat()];
}

function unreadableText(error: unknown): string {
  const isPrivate = error instanceof GuardedFetchError && error.reason === 'private-address';
  const fix = isPrivate ? '; if it may, set allowPrivateIPJWKS' : '';
  return `cannot be read: ${messageOf(error)}${fix}`;
}

function secretFindings({ brokerClients, targets }: BrokerConfig, directory: string): readonly Finding[] {
  return Object.entries({ brokerClients, targets }).flatMap(([key, entries]) =>
    Object.entries(entries).flatMap(([name, { clientSecretFile: file }]) => {
      const read = file === undefined ? undefined : secretIn(file, directory);
      const path = ['tokenExchangeBroker', key, name, 'clientSecretFile'];
      return findingAt(path, read !== undefined && 'fault' in read && read.fault, 'error');
    }),
  );
}

/** Targets of the grant form for which no person can have a grant. */
function pinFindings({ targets }: BrokerConfig, resources: readonly Resource[]): readonly Finding[] {
  const pins = resources.flatMap(({ spec }) => pinnedIn(spec) ?? []);
  return Object.entries(targets).flatMap(([name, { grantIssuer }]) =>
    findingAt(
      ['tokenExchangeBroker', 'targets', name, 'grantIssuer'],
      grantIssuer !== undefined &&
        !pins.includes(grantIssuer) &&
        'is pinned by no server: write it as auth.authorizationServer.issuer of one, with grantScope: subject',
      'warning',
    ),
  );
}

/** The issuer at which a definition has people sign in once for all their sessions. */
function pinnedIn(spec: unknown): string | undefined {
  const auth = isObject(spec) ? spec['auth'] : undefined;
  const server = isObject(auth) ? auth['authorizationServer'] : undefined;
  if (!isObject(server) || server['grantScope'] !== 'subject') return undefined;
  return typeof server['issuer'] === 'string' ? server['issuer'] : undefined;
}
