import type { ProviderConfig } from './config.ts';

type Preset = Partial<Pick<ProviderConfig, 'issuerUrl' | 'scopes' | 'parameters'>>;
export type ProviderName = NonNullable<ProviderConfig['provider']>;

const BASE = ['openid', 'profile', 'email'];
const OFFLINE = [...BASE, 'offline_access'];

/** What each provider is asked for, as its documentation says. @param issuerUrl as written */
const PRESETS: Readonly<Record<ProviderName, (issuerUrl: string) => Preset>> = {
  // https://auth0.com/docs/secure/tokens/refresh-tokens/get-refresh-tokens
  auth0: () => ({ scopes: OFFLINE }),
  // https://dexidp.io/docs/configuration/custom-scopes-claims-clients/
  dex: () => ({ scopes: [...BASE, 'groups', 'offline_access'] }),
  // https://learn.microsoft.com/entra/identity-platform/scopes-oidc
  entra: () => ({ scopes: OFFLINE }),
  // https://developers.google.com/identity/protocols/oauth2/web-server: a refresh token only with the first consent, unless it is asked for
  google: () => ({
    issuerUrl: 'https://accounts.google.com',
    scopes: BASE,
    parameters: { access_type: 'offline', prompt: 'consent' },
  }),
  // https://www.keycloak.org/docs/latest/server_admin/#_offline-access; it refuses scopes that are not client scopes of the realm
  keycloak: () => ({ scopes: OFFLINE }),
  // https://developer.okta.com/docs/api/openapi/okta-oauth/guides/overview/: only the org server knows the scope groups
  okta: (issuerUrl) => ({
    scopes: isCustomOkta(issuerUrl) ? OFFLINE : [...BASE, 'groups', 'offline_access'],
  }),
};

/** `aggregator.oauth.server` with what its `idp.provider` fills in. What is written wins; a provider that is not known fills in nothing. */
export function withPreset(server: unknown): unknown {
  const { idp = {} } = (server ?? {}) as { readonly idp?: Partial<ProviderConfig> | null };
  const name = idp?.provider;
  if (name === undefined || !Object.hasOwn(PRESETS, name)) return server;
  const preset = PRESETS[name](typeof idp?.issuerUrl === 'string' ? idp.issuerUrl : '');
  const parameters = preset.parameters && { parameters: { ...preset.parameters, ...idp?.parameters } };
  return { ...(server as object), idp: { ...preset, ...idp, ...parameters } };
}

/** Which of them it is by its address. @returns undefined for any other, or one at an address of its own */
export function providerAt(issuerUrl: string): ProviderName | undefined {
  const { hostname = '', pathname = '' } = URL.canParse(issuerUrl) ? new URL(issuerUrl) : {};
  if (hostname === 'accounts.google.com') return 'google';
  if (hostname === 'login.microsoftonline.com') return 'entra';
  if (/\.okta(preview|-emea)?\.com$/.test(hostname)) return 'okta';
  if (hostname.endsWith('.auth0.com')) return 'auth0';
  return pathname.includes('/realms/') ? 'keycloak' : undefined;
}

/** Whether the issuer is a custom authorization server, whose path is /oauth2/<id>. */
function isCustomOkta(issuerUrl: string): boolean {
  return URL.canParse(issuerUrl) && new URL(issuerUrl).pathname.startsWith('/oauth2/');
}

/** What the schema cannot say about a provider, by key below `idp`. @returns errors and warnings */
export function presetFaults({ provider, issuerUrl, groupsClaim }: ProviderConfig): {
  readonly error?: Readonly<Record<string, string>>;
  readonly warning?: Readonly<Record<string, string>>;
} {
  const { pathname = '' } = URL.canParse(issuerUrl) ? new URL(issuerUrl) : {};
  if (
    providerAt(issuerUrl) === 'entra' &&
    !/^\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\/v2\.0\/?$/i.test(pathname)
  )
    return { error: { issuerUrl: TENANT } };
  if (provider === 'auth0' && groupsClaim === 'groups') return { warning: { groupsClaim: NAMESPACED } };
  return {};
}

const TENANT =
  'must name one tenant of Entra ID by its id, because tokens do: https://login.microsoftonline.com/<tenant id>/v2.0, not common, organizations, {tenantid} or a domain';
const NAMESPACED =
  'is groups, which Auth0 lets no token have, so people have no groups: write the namespaced claim that an action of yours adds, such as https://example.com/groups';
