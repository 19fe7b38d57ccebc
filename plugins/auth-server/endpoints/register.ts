import { isObject } from 'pegboard';
import type { JsonObject, Log, Reply } from 'pegboard';
import { addressOwner } from 'pegboard/net';
import { jsonIn } from '../../kit/text/jsonIn.ts';
import { RateLimit } from '../../kit/http/rateLimit.ts';
import type { OAuthClient } from '../../contracts/oauth.ts';
import { OAuthError } from '../../kit/oauth/oauthError.ts';
import { clientMetadata } from '../clients/clientMetadata.ts';
import { checkRedirectUris, isLoopbackRedirect } from '../clients/redirectUri.ts';
import type { RedirectPolicy } from '../clients/redirectUri.ts';
import { WELL_KNOWN_REDIRECTS } from '../clients/wellKnownRedirects.ts';
import type { Registrations } from '../clients/registrations.ts';
import type { ServerConfig } from '../config.ts';
import { digest, isSame } from '../../kit/secrets/secrets.ts';
import { countRequest } from '../web/countRequest.ts';
import { mediaTypeOf } from '../web/mediaTypeOf.ts';
import type { OAuthEndpoint } from '../web/oauthRoute.ts';

const MAX_BODY_BYTES = 65_536;
const MAX_URIS = 20;
const AUTH_METHODS: readonly OAuthClient['authMethod'][] = [
  'none',
  'client_secret_basic',
  'client_secret_post',
];

export interface Gates {
  readonly settings: Pick<
    ServerConfig,
    | 'allowPublicClientRegistration'
    | 'allowLocalhostRedirectURIs'
    | 'allowWellKnownRedirectURIs'
    | 'trustedPublicRegistrationSchemes'
    | 'trustedPublicRegistrationRedirectURIs'
    | 'rateLimits'
  >;
  readonly registrationToken: string | undefined;
}
export interface RegisterRequest {
  /** The header. */
  readonly authorization: string | undefined;
  /** The client's address. */
  readonly address: string;
}

/** Whether anyone could register: only then is the endpoint advertised. */
export function canRegister({ settings, registrationToken }: Gates): boolean {
  return (
    registrationToken !== undefined ||
    settings.allowPublicClientRegistration ||
    settings.allowLocalhostRedirectURIs ||
    settings.allowWellKnownRedirectURIs ||
    settings.trustedPublicRegistrationSchemes.length > 0 ||
    settings.trustedPublicRegistrationRedirectURIs.length > 0
  );
}

/** `POST /oauth/register`. Source: RFC 7591 §3 */
export function register(registered: ReturnType<typeof registration>): OAuthEndpoint {
  return {
    method: 'POST',
    path: '/oauth/register',
    handle: async ({ http, request, address }) => {
      if (mediaTypeOf(request) !== 'application/json')
        throw malformed('send the metadata as application/json');
      const body = await http.body(MAX_BODY_BYTES);
      return registered(body, { authorization: request.header('authorization'), address });
    },
  };
}

/** @param checkAllowed throws an OAuthError for redirect URIs of a client that is not admitted
 *  @returns registers a client @throws OAuthError that one */
export function registration(
  registrations: Registrations,
  gates: () => Gates,
  policy: () => RedirectPolicy,
  log: Log,
  checkAllowed?: (redirectUris: readonly string[]) => void,
): (body: string, request: RegisterRequest) => Promise<Reply> {
  const limit = new RateLimit(() => gates().settings.rateLimits.registrations, 3_600);
  return async (body, { authorization, address }) => {
    const metadata = parsed(body);
    const redirectUris = urisOf(metadata['redirect_uris']);
    const origin = originOf(redirectUris, authorization, gates());
    countRequest(limit, addressOwner(address));
    checkAllowed?.(redirectUris);
    await checkRedirectUris(redirectUris, policy());
    const authMethod = methodOf(metadata);
    const { client, secret } = await registrations.add({
      ...clientMetadata(metadata),
      redirectUris,
      authMethod,
      origin,
    });
    const facts = { client: client.id, name: client.name, origin, address };
    if (gates().settings.allowPublicClientRegistration && origin === 'open')
      log.warn('anyone may register a client here, and one has been registered', facts);
    else log.info('client registered', facts);
    return { status: 201, body: answerOf(client, secret) };
  };
}

/** How the client is trusted: by the best of what it shows. Source: RFC 7591 §3, RFC 9700 §4.1
 *  @throws OAuthError invalid_token (401) if no gate is open for it; access_denied (403) if none is open at all */
function originOf(
  uris: readonly string[],
  authorization: string | undefined,
  gates: Gates,
): 'token' | 'trusted' | 'open' {
  const { settings, registrationToken } = gates;
  if (registrationToken !== undefined && holdsToken(authorization, registrationToken)) return 'token';
  const isUsual = (uri: string): boolean =>
    (settings.allowLocalhostRedirectURIs && isLoopbackRedirect(uri)) ||
    (settings.allowWellKnownRedirectURIs && WELL_KNOWN_REDIRECTS.includes(uri));
  const isTrusted = (uri: string): boolean =>
    settings.trustedPublicRegistrationSchemes.includes(schemeOf(uri)) ||
    settings.trustedPublicRegistrationRedirectURIs.some((one) => normalized(one) === normalized(uri));
  // Each URI must be trusted, because each of them can get the code. Editors mix them: loopback beside a scheme of their own.
  if (uris.some(isTrusted) && uris.every((uri) => isTrusted(uri) || isUsual(uri))) return 'trusted';
  if (settings.allowPublicClientRegistration || (uris.length > 0 && uris.every(isUsual))) return 'open';
  if (!canRegister(gates))
    throw new OAuthError('access_denied', 'Clients cannot register here', {
      status: 403,
      reason: 'registration-closed',
    });
  throw new OAuthError(
    'invalid_token',
    'Registration requires authentication. Provide a valid registration token or use a trusted redirect URI scheme.',
    { status: 401, headers: { 'www-authenticate': 'Bearer' }, reason: 'registration-unauthenticated' },
  );
}

function holdsToken(authorization: string | undefined, token: string): boolean {
  const given = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? '';
  // Digests have one length, so the time says nothing about the token.
  return isSame(digest(given), digest(token));
}

/** Empty for http and https: every website has these. */
function schemeOf(uri: string): string {
  const scheme = URL.canParse(uri) ? new URL(uri).protocol.slice(0, -1) : '';
  return ['http', 'https'].includes(scheme) ? '' : scheme;
}

/** Source: RFC 3986 §6.2.2 */
function normalized(uri: string): string {
  if (!URL.canParse(uri)) return uri;
  return new URL(uri).href.replaceAll(/%[\da-f]{2}/gi, (escape) => {
    const char = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return /[\w\-.~]/.test(char) ? char : escape.toUpperCase();
  });
}

/** @throws OAuthError invalid_client_metadata */
function parsed(body: string): JsonObject {
  const metadata = jsonIn(body);
  if (!isObject(metadata)) throw malformed('the body must be a JSON object');
  return metadata;
}

/** A member that is not text becomes one that is refused. @throws OAuthError invalid_redirect_uri */
function urisOf(given: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(given) ? given : [];
  if (list.length > MAX_URIS)
    throw new OAuthError(
      'invalid_redirect_uri',
      `redirect_uri: at most ${MAX_URIS} redirect URIs are allowed`,
    );
  return list.map((uri) => (typeof uri === 'string' ? uri : ''));
}

/** @throws OAuthError invalid_client_metadata */
function methodOf(metadata: JsonObject): OAuthClient['authMethod'] {
  const fallback = metadata['client_type'] === 'public' ? 'none' : 'client_secret_basic';
  const given = metadata['token_endpoint_auth_method'] ?? fallback;
  const method = AUTH_METHODS.find((one) => one === given);
  if (method === undefined)
    throw malformed(`token_endpoint_auth_method must be one of ${AUTH_METHODS.join(', ')}`);
  return method;
}

function malformed(description: string): OAuthError {
  return new OAuthError('invalid_client_metadata', description);
}

/** Source: RFC 7591 §3.2.1 */
function answerOf(
  { id, name, redirectUris, authMethod, scopes }: OAuthClient,
  secret: string | undefined,
): JsonObject {
  return {
    client_id: id,
    client_id_issued_at: Math.floor(Date.now() / 1_000),
    ...(secret !== undefined && { client_secret: secret, client_secret_expires_at: 0 }),
    ...(name !== undefined && { client_name: name }),
    client_type: secret === undefined ? 'public' : 'confidential',
    redirect_uris: redirectUris,
    token_endpoint_auth_method: authMethod,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    ...(scopes !== undefined && { scope: scopes.join(' ') }),
  };
}
