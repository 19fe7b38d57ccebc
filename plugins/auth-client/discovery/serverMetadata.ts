import type { JsonObject } from 'pegboard';
import type { SignInEndpoints, SignInFacts, SignInQuestion } from '../../contracts/signIns.ts';
import { SignInFault, isSecure, shownAddress } from './network.ts';
import type { Network } from './network.ts';
import { scopesIn } from './scopesIn.ts';

const OAUTH = '/.well-known/oauth-authorization-server';
const OPENID = '/.well-known/openid-configuration';
const MAX_ISSUER_CHARS = 1_024;
const MAX_METHODS = 20;
const PKCE =
  'if it does and only its metadata does not say so, set auth.authorizationServer.assumePkce: true of the server, beside issuer';
const ENDPOINTS =
  'if it has none, set authorizationEndpoint and tokenEndpoint of auth.authorizationServer of the server';

/** What an authorization server publishes about itself. */
export type ServerMetadata = Pick<
  SignInFacts,
  'issuer' | 'registration' | 'endpoints' | 'authMethods' | 'grantsOffline' | 'namesIssuer'
>;

/** Metadata of an issuer that resource metadata names. @throws SignInFault. Source: RFC 8414 §3, RFC 9207 §2.3 */
export function serverMetadata(network: Network, issuer: string): Promise<ServerMetadata> {
  return metadataOf(issuerUrl(issuer), { issuers: [issuer], network });
}

/** The issuer that a definition names, and what it says about it. */
export type Pinned = { readonly issuer: string } & Pick<
  SignInQuestion,
  'assumePkce' | 'authorizationEndpoint' | 'tokenEndpoint' | 'revocationEndpoint'
>;

/** Metadata of the issuer that a definition names, with or without a slash at its end; nothing is read if the definition has its
 *  endpoints. @param networkAt requests that the operator answers for by naming that address @throws SignInFault */
export async function pinnedMetadata(
  { issuer, assumePkce = false, authorizationEndpoint, tokenEndpoint, revocationEndpoint }: Pinned,
  networkAt: (base: URL) => Network,
): Promise<ServerMetadata> {
  const url = issuerUrl(issuer);
  const plain = issuer.replace(/\/$/, '');
  const origin = { issuers: [plain, `${plain}/`], network: networkAt(url), assumePkce };
  if (authorizationEndpoint === undefined || tokenEndpoint === undefined) return metadataOf(url, origin);
  const written = {
    issuer: plain,
    authorization_endpoint: authorizationEndpoint,
    token_endpoint: tokenEndpoint,
    ...(revocationEndpoint !== undefined && { revocation_endpoint: revocationEndpoint }),
  };
  return usable(written, { ...origin, from: url, assumePkce: true });
}

async function metadataOf(url: URL, parts: Omit<Origin, 'from'>): Promise<ServerMetadata> {
  const tried: string[] = [];
  for (const place of placesFor(url)) {
    const read = await parts.network.read(place, true);
    if ('document' in read) return usable(read.document, { ...parts, from: place });
    tried.push(`${shownAddress(place)} (${read.absent})`);
  }
  const [issuer = ''] = parts.issuers;
  const cure = parts.assumePkce === undefined ? '' : `; ${ENDPOINTS}`;
  throw new SignInFault(
    `the authorization server ${issuer} publishes no metadata: ${tried.join(', ')}${cure}`,
  );
}

/** Metadata for a server without resource metadata: its origin is the issuer; undefined if there is no metadata either.
 *  @throws SignInFault. Source: MCP 2025-03-26, Authorization */
export async function olderMetadata(network: Network): Promise<ServerMetadata | undefined> {
  const { origin } = network.server;
  for (const place of placesFor(issuerUrl(origin))) {
    const read = await network.read(place, true);
    // No document has said whether the issuer ends in a slash.
    const parts = { from: place, issuers: [origin, `${origin}/`], network };
    if ('document' in read) return usable(read.document, parts);
  }
  return undefined;
}

/** Where a server without any metadata is asked. @throws SignInFault. Source: MCP 2025-03-26, Authorization */
export function assumedMetadata({ origin }: URL): ServerMetadata {
  issuerUrl(origin);
  return {
    issuer: origin,
    registration: 'dynamic',
    endpoints: {
      authorization: `${origin}/authorize`,
      token: `${origin}/token`,
      registration: `${origin}/register`,
    },
    grantsOffline: false,
    namesIssuer: false,
  };
}

/** @throws SignInFault */
function issuerUrl(issuer: string): URL {
  if (issuer.length > MAX_ISSUER_CHARS || !URL.canParse(issuer))
    throw new SignInFault('the issuer of its authorization server is not a URL');
  const url = new URL(issuer);
  if (url.username + url.password !== '' || /[?#]/.test(issuer))
    throw new SignInFault(`the issuer ${shownAddress(url)} has user information, a query or a fragment`);
  if (!isSecure(url)) throw new SignInFault(`the issuer ${issuer} is neither https nor on this machine`);
  return url;
}

/** Source: RFC 8414 §3.1; MCP 2025-11-25, Authorization */
function placesFor({ origin, pathname }: URL): readonly URL[] {
  const path = pathname.replace(/\/$/, '');
  const places = [OAUTH + path, OPENID + path, path + OPENID];
  return [...new Set(places)].map((place) => new URL(origin + place));
}

interface Origin {
  readonly from: URL;
  /** What it may be the metadata of. */
  readonly issuers: readonly string[];
  readonly network: Network;
  /** Whether S256 counts as supported where the metadata does not say; undefined unless the issuer is pinned. */
  readonly assumePkce?: boolean;
}

/** @throws SignInFault */
async function usable(
  document: JsonObject,
  { from, issuers, network, assumePkce = false }: Origin,
): Promise<ServerMetadata> {
  const { issuer, token_endpoint_auth_methods_supported: authMethods } = document;
  // Character by character: a server that can publish under another one's name would receive its codes.
  if (typeof issuer !== 'string' || !issuers.includes(issuer))
    throw new SignInFault(
      `${shownAddress(from)} is for the issuer ${typeof issuer === 'string' ? issuer : '(none)'}, not ${issuers[0] ?? ''}`,
    );
  const methods = document['code_challenge_methods_supported'];
  // Without the list, the server does not check the code_verifier (MCP 2025-11-25, PKCE), or its metadata is older than PKCE.
  const isAssumed = methods === undefined && assumePkce;
  if (!isAssumed && !(Array.isArray(methods) && methods.includes('S256')))
    throw new SignInFault(
      `${shownAddress(from)}: the authorization server does not support PKCE with S256${methods === undefined ? `; ${PKCE}` : ''}`,
    );
  const endpoints = await endpointsIn(document, from, network);
  const takesDocuments = document['client_id_metadata_document_supported'] === true;
  const other = endpoints.registration === undefined ? 'configured-only' : 'dynamic';
  return {
    issuer,
    registration: takesDocuments ? 'client-document' : other,
    endpoints,
    ...(Array.isArray(authMethods) && { authMethods: textsIn(authMethods) }),
    grantsOffline: scopesIn(document['scopes_supported']).includes('offline_access'),
    namesIssuer: document['authorization_response_iss_parameter_supported'] === true,
  };
}

/** @throws SignInFault */
async function endpointsIn(document: JsonObject, from: URL, network: Network): Promise<SignInEndpoints> {
  const named = (name: string): URL => {
    const value = document[name];
    if (typeof value !== 'string' || !URL.canParse(value))
      throw new SignInFault(`${shownAddress(from)}: its ${name} is not a URL`);
    const url = new URL(value);
    if (!isSecure(url))
      throw new SignInFault(
        `${shownAddress(from)}: its ${name} ${value} is neither https nor on this machine`,
      );
    return url;
  };
  const optional = (name: string): URL | undefined =>
    document[name] === undefined ? undefined : named(name);
  const authorization = named('authorization_endpoint');
  const token = named('token_endpoint');
  const [registration, revocation] = [optional('registration_endpoint'), optional('revocation_endpoint')];
  // A browser opens the first; the others are requested from here.
  await network.check(token, 'the token_endpoint');
  if (registration !== undefined) await network.check(registration, 'the registration_endpoint');
  if (revocation !== undefined) await network.check(revocation, 'the revocation_endpoint');
  return {
    authorization: authorization.href,
    token: token.href,
    ...(registration !== undefined && { registration: registration.href }),
    ...(revocation !== undefined && { revocation: revocation.href }),
  };
}

function textsIn(list: readonly unknown[]): readonly string[] {
  return list.filter((one): one is string => typeof one === 'string').slice(0, MAX_METHODS);
}
