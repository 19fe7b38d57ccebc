import { isIP } from 'node:net';
import { addressClass, hostClasses, hostOf, isLoopbackHost } from 'pegboard/net';
import type { ServerConfig } from '../config.ts';
import { OAuthError } from '../../kit/oauth/oauthError.ts';
import type { OAuthClient } from '../../contracts/oauth.ts';
import { WELL_KNOWN_REDIRECTS } from './wellKnownRedirects.ts';

/** What decides about redirect URIs. Source: RFC 9700 §4.1, RFC 8252 §7 */
export interface RedirectPolicy {
  readonly settings: Pick<
    ServerConfig,
    | 'allowLocalhostRedirectURIs'
    | 'allowPrivateIPRedirectURIs'
    | 'allowWellKnownRedirectURIs'
    | 'trustedPublicRegistrationSchemes'
  >;
  /** The addresses of a host name. Default: as the system finds them. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
}

const MAX_CHARS = 2_048;
/** The characters of RFC 3986: none that could leave an attribute, a header or a line. */
const URI = /^[a-z][a-z0-9+.-]*:[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/i;
/** Opened by a browser, they run or show what they contain, or leave the web. */
const BLOCKED_SCHEMES = [
  ...['javascript', 'data', 'vbscript', 'file', 'about', 'blob', 'filesystem', 'view-source'],
  ...['ftp', 'ws', 'wss', 'mailto', 'tel', 'intent', 'ms-msdt', 'search-ms'],
];
/** Schemes of the editors that register them. Others need a dot, as in com.example.app (RFC 8252 §7.1), or the setting. */
const EDITOR_SCHEMES = ['cursor', 'vscode', 'vscode-insiders', 'windsurf'];

/** Reason for the log → text for the client. */
const FAULTS = {
  'redirect-uri-malformed': 'invalid URI format',
  'redirect-uri-fragment': 'fragments are not allowed (OAuth 2.0 Security BCP)',
  'redirect-uri-userinfo': 'user information is not allowed',
  'redirect-uri-not-https': 'HTTPS is required in production (HTTP only allowed for localhost)',
  'redirect-uri-loopback': 'loopback addresses are not allowed',
  'redirect-uri-unspecified': 'unspecified addresses (0.0.0.0, ::) are not allowed',
  'redirect-uri-private': 'private IP addresses are not allowed (SSRF protection)',
  'redirect-uri-link-local': 'link-local addresses are not allowed (cloud SSRF protection)',
  'redirect-uri-unresolved': 'hostname could not be resolved (DNS validation required)',
  'redirect-uri-resolves-private': 'hostname resolves to private IP address (DNS rebinding protection)',
  'redirect-uri-resolves-link-local': 'hostname resolves to link-local address (cloud SSRF protection)',
  'redirect-uris-missing': 'at least one redirect URI is required',
};

/** Checks a registration's URIs. @throws OAuthError invalid_redirect_uri */
export async function checkRedirectUris(uris: readonly string[], policy: RedirectPolicy): Promise<void> {
  if (uris.length === 0) throw refusal('redirect-uris-missing', 'invalid_redirect_uri');
  await Promise.all(uris.map((uri) => checkRedirectUri(uri, 'invalid_redirect_uri', policy)));
}

/** Resolves its host, so what was good at the registration may be refused later.
 *  @param error the code of a refusal @throws OAuthError */
export async function checkRedirectUri(
  uri: string,
  error: 'invalid_redirect_uri' | 'invalid_request',
  { settings, resolve }: RedirectPolicy,
): Promise<void> {
  // Their hosts are known to be public, also where this gateway has no DNS for the internet.
  if (settings.allowWellKnownRedirectURIs && WELL_KNOWN_REDIRECTS.includes(uri)) return;
  const url = parsed(uri, error);
  const scheme = url.protocol.slice(0, -1);
  if (BLOCKED_SCHEMES.includes(scheme)) throw schemeRefusal(scheme, 'is blocked for security reasons', error);
  if (!isWeb(url)) {
    const known = [...EDITOR_SCHEMES, ...settings.trustedPublicRegistrationSchemes];
    if (!scheme.includes('.') && !known.includes(scheme))
      throw schemeRefusal(scheme, 'is not allowed', error);
    return;
  }
  const host = hostOf(url);
  const isLoopback = isLoopbackHost(host);
  if (isLoopback && !settings.allowLocalhostRedirectURIs) throw refusal('redirect-uri-loopback', error);
  if (isLoopback) return;
  if (scheme !== 'https') throw refusal('redirect-uri-not-https', error);
  if (isIP(host) > 0) {
    const found = addressClass(host);
    if (found === 'unspecified') throw refusal('redirect-uri-unspecified', error);
    if (settings.allowPrivateIPRedirectURIs || found === 'public') return;
    throw refusal(found === 'link-local' ? 'redirect-uri-link-local' : 'redirect-uri-private', error);
  }
  if (settings.allowPrivateIPRedirectURIs) return;
  const classes = await hostClasses(host, resolve);
  if (classes.length === 0) throw refusal('redirect-uri-unresolved', error);
  const bad = classes.filter((found) => found !== 'public');
  if (bad.some((found) => found !== 'link-local')) throw refusal('redirect-uri-resolves-private', error);
  if (bad.length > 0) throw refusal('redirect-uri-resolves-link-local', error);
}

/** Whether it is one of the client's own, exactly but for the port of a loopback URI, which a client finds when it starts (D98).
 *  Source: RFC 8252 §7.3 */
export function isRedirectUriOf({ redirectUris }: OAuthClient, uri: string): boolean {
  return redirectUris.map(withoutLoopbackPort).includes(withoutLoopbackPort(uri));
}

function withoutLoopbackPort(uri: string): string {
  return uri.replace(/^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])):\d{1,5}(?=[/?]|$)/, '$1');
}

/** Whether it leads to the machine of the person, by http or https. */
export function isLoopbackRedirect(uri: string): boolean {
  return URL.canParse(uri) && isWeb(new URL(uri)) && isLoopbackHost(hostOf(new URL(uri)));
}

/** @throws OAuthError with this code */
function parsed(uri: string, error: string): URL {
  if (uri.length > MAX_CHARS || !URI.test(uri) || !URL.canParse(uri))
    throw refusal('redirect-uri-malformed', error);
  if (uri.includes('#')) throw refusal('redirect-uri-fragment', error);
  const url = new URL(uri);
  if (!isWeb(url)) return url;
  // The URL parser would also take https:host and https:///host.
  const authority = /^https?:\/\/([^/?]+)/i.exec(uri)?.[1];
  if (authority === undefined) throw refusal('redirect-uri-malformed', error);
  if (authority.includes('@')) throw refusal('redirect-uri-userinfo', error);
  return url;
}

function isWeb(url: URL): boolean {
  return url.protocol === 'https:' || url.protocol === 'http:';
}

function refusal(reason: keyof typeof FAULTS, error: string): OAuthError {
  return new OAuthError(error, `redirect_uri: ${FAULTS[reason]}`, { reason });
}

function schemeRefusal(scheme: string, fault: string, error: string): OAuthError {
  return new OAuthError(error, `redirect_uri: scheme '${scheme}' ${fault}`, {
    reason: 'redirect-uri-scheme',
  });
}
