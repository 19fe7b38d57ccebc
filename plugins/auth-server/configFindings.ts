import type { Finding, Settings } from 'pegboard';
import { ownParameters } from '../kit/oauth/ownParameters.ts';
import { parseDuration } from '../kit/text/parseDuration.ts';
import type { AuthServerConfig, ServerConfig } from './config.ts';
import { rangeFindings } from '../kit/http/addressRanges.ts';
import { presetFaults } from './providerPresets.ts';

const PLACE = ['aggregator', 'oauth', 'server'];
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
const ALL_ARE_OPERATORS =
  'lets every person who signs in run commands on this machine, by core_mcpserver_create: plugins.operators is false; remove that, and name people under operators';
const WEB_SCHEMES = ['http', 'https'];

/** What the schema cannot say, and switches that weaken the sign-in. */
export function configFindings(
  { aggregator }: AuthServerConfig,
  { plugins }: Pick<Settings, 'plugins'>,
): readonly Finding[] {
  const { server } = aggregator.oauth;
  return [
    ...errorsIn(server),
    ...warningsOn(server),
    ...presetFindings(server),
    ...(plugins['operators'] === false ? [finding('enabled', ALL_ARE_OPERATORS, 'warning')] : []),
    ...rangeFindings(server.trustedProxyCIDRs, [...PLACE, 'trustedProxyCIDRs']),
  ];
}

function errorsIn({ baseUrl, idp, resourceIdentifier, sessionDuration }: ServerConfig): readonly Finding[] {
  const faults: Record<string, string | undefined> = {
    baseUrl: addressFault(baseUrl),
    resourceIdentifier:
      resourceIdentifier === '' || (URL.canParse(resourceIdentifier) && !resourceIdentifier.includes('#'))
        ? undefined
        : 'must be an absolute address without a fragment, best <baseUrl>/mcp',
    sessionDuration: durationFault(sessionDuration),
    'idp.issuerUrl': addressFault(idp.issuerUrl),
    'idp.clientId':
      idp.clientId === ''
        ? 'is missing; register this gateway at the identity provider, and write the id'
        : undefined,
    'idp.clientSecret':
      idp.clientSecret === undefined && idp.clientSecretFile === undefined
        ? 'is missing; write clientSecret: ${env:…}, or clientSecretFile'
        : undefined,
  };
  for (const name of ownParameters(idp.parameters))
    faults[`idp.parameters.${name}`] = 'is set by the sign-in itself; remove it';
  return Object.entries(faults).flatMap(([key, fault]) =>
    fault === undefined ? [] : [finding(key, fault, 'error')],
  );
}

function presetFindings({ idp }: ServerConfig): readonly Finding[] {
  const found = Object.entries(presetFaults(idp)) as [
    'error' | 'warning',
    Readonly<Record<string, string>>,
  ][];
  return found.flatMap(([severity, faults]) =>
    Object.entries(faults).map(([key, text]) => finding(`idp.${key}`, text, severity)),
  );
}

/** Each of them is what an operator may want, and should know. */
function warningsOn(server: ServerConfig): readonly Finding[] {
  const { idp } = server;
  const hasClients =
    server.enableCIMD ||
    server.allowLocalhostRedirectURIs ||
    server.allowWellKnownRedirectURIs ||
    hasGate(server);
  const warnings = {
    'idp.allowPrivateIPOIDC':
      idp.allowPrivateIPOIDC &&
      'lets the identity provider have a private address: remove it unless yours has one',
    allowPrivateIPClientMetadata:
      server.allowPrivateIPClientMetadata &&
      'lets clients have this gateway fetch documents from private addresses',
    allowPrivateIPRedirectURIs:
      server.allowPrivateIPRedirectURIs && 'lets codes be sent to private addresses',
    allowPublicClientRegistration: server.allowPublicClientRegistration && 'lets anyone register a client',
    consent:
      server.consent === 'never' &&
      'is never: a link can give any registered client access in the name of a person who is signed in at the provider',
    allowLocalhostRedirectURIs:
      !server.allowLocalhostRedirectURIs &&
      'is false: clients that redirect to this machine, such as Claude Code and the command line, cannot sign in',
    enableCIMD: !hasClients && 'is false and no way to register is open: no client can sign in',
  };
  const unused = server.trustedPublicRegistrationSchemes.flatMap((scheme, at) =>
    WEB_SCHEMES.includes(scheme)
      ? [
          finding(
            `trustedPublicRegistrationSchemes.${at}`,
            `has ${scheme}, which has no effect: every website has it`,
            'warning',
          ),
        ]
      : [],
  );
  const named = Object.entries(warnings).flatMap(([key, text]) =>
    text === false ? [] : [finding(key, text, 'warning')],
  );
  return [...named, ...unused];
}

function hasGate(server: ServerConfig): boolean {
  return (
    server.allowPublicClientRegistration ||
    server.registrationToken !== undefined ||
    server.registrationTokenFile !== undefined ||
    server.trustedPublicRegistrationSchemes.length > 0 ||
    server.trustedPublicRegistrationRedirectURIs.length > 0
  );
}

/** @param key below aggregator.oauth.server */
export function finding(key: string, text: string, severity: 'error' | 'warning'): Finding {
  const below = key.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  return { path: [...PLACE, ...below], message: `${[...PLACE, key].join('.')} ${text}`, severity };
}

function durationFault(text: string): string | undefined {
  const ms = parseDuration(text);
  if (ms === undefined) return `must be a duration such as 720h or 1h30m, not ${JSON.stringify(text)}`;
  return ms > 0 ? undefined : 'must be longer than 0';
}

/** Why it cannot be an issuer; undefined if it can. Source: RFC 8414 §2 */
function addressFault(text: string): string | undefined {
  if (text === '') return 'is missing; write an address that begins with https://';
  if (!URL.canParse(text)) return `must be an address that begins with https://, not ${JSON.stringify(text)}`;
  const { protocol, hostname, search, hash, username, password } = new URL(text);
  if (search + hash + username + password !== '') return 'must not have a query, a fragment or a user';
  if (protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname))) return undefined;
  return 'must begin with https:// (http:// only for localhost), because tokens are sent there';
}
