import type { AskedToken, Quirks } from '../../support/quirkySite.ts';

const HOUR = { expires_in: 3_600, token_type: 'Bearer' };
const withoutSecret = ({ secretIn }: AskedToken) =>
  secretIn === 'nowhere' ? { error: 'invalid_client' } : undefined;

/** Refuses `resource` on its own page and at the token endpoint, names no method of PKCE, and gives a refresh token only for
 *  offline_access. Source: https://learn.microsoft.com/en-us/entra/identity-platform/reference-error-codes */
const entra: Quirks = {
  metadata: {
    scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
    token_endpoint_auth_methods_supported: ['client_secret_post', 'private_key_jwt', 'client_secret_basic'],
  },
  deadEnd: (asked) =>
    'resource' in asked ? "AADSTS901002: The 'resource' request parameter is not supported." : undefined,
  refusal: ({ form, ...rest }) =>
    'resource' in form
      ? { error: 'invalid_request', error_description: 'AADSTS901002: resource is not supported' }
      : withoutSecret({ form, ...rest }),
  tokens: ({ scope = '' }, access_token) => ({
    ...HOUR,
    access_token,
    scope: 'api://APP-ID/mcp.read',
    ...(scope.includes('offline_access') && { refresh_token: 'r' }),
  }),
};

/** Gives a refresh token only for access_type=offline. Source: https://developers.google.com/identity/protocols/oauth2/web-server */
const google: Quirks = {
  metadata: {
    code_challenge_methods_supported: ['plain', 'S256'],
    token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
  },
  refusal: withoutSecret,
  tokens: ({ scope, access_type: type }, access_token) => ({
    ...HOUR,
    access_token,
    scope,
    ...(type === 'offline' && { refresh_token: 'r' }),
  }),
};

/** Answers with forms, errors with 200, commas between scopes, and tokens that do not expire.
 *  Source: https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps */
const github: Quirks = {
  hasForms: true,
  refusalStatus: 200,
  refusal: ({ secretIn }) =>
    secretIn === 'nowhere'
      ? {
          error: 'incorrect_client_credentials',
          error_description: 'The client_id and/or client_secret passed are incorrect.',
        }
      : undefined,
  tokens: ({ scope = '' }, access_token) => ({
    access_token,
    token_type: 'bearer',
    scope: scope.replaceAll(' ', ','),
  }),
};

/** Has the token below authed_user with a type of its own, and errors with 200.
 *  Source: https://docs.slack.dev/reference/methods/oauth.v2.user.access */
const slack: Quirks = {
  refusalStatus: 200,
  refusal: ({ secretIn }) => (secretIn === 'body' ? undefined : { ok: false, error: 'invalid_client_id' }),
  tokens: ({ scope = '' }, access_token) => ({
    ok: true,
    scope: '',
    authed_user: { id: 'U1', access_token, token_type: 'user', scope: scope.replaceAll(' ', ',') },
  }),
};

/** Reads the secret in the body only, and does not say so. Source: https://developers.hubspot.com/docs/api-reference/auth-oauth-v3/guide */
const hubspot: Quirks = {
  metadata: { code_challenge_methods_supported: ['S256'] },
  refusal: ({ secretIn }) =>
    secretIn === 'body'
      ? undefined
      : { error: 'invalid_client', error_description: 'missing or unknown client secret' },
  tokens: (_, access_token) => ({ ...HOUR, access_token, refresh_token: 'r' }),
};

export const PROVIDERS = { entra, google, github, slack, hubspot } as const;
export type Provider = keyof typeof PROVIDERS;
