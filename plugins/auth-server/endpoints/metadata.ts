import type { JsonObject, Reply } from 'pegboard';
import { SIGNATURE_ALGORITHMS } from '../../contracts/oauth.ts';
import type { Grant } from '../../contracts/oauth.ts';
import type { ServerConfig } from '../config.ts';
import type { Addresses } from '../web/addresses.ts';
import type { OAuthEndpoint } from '../web/oauthRoute.ts';
import { canRegister } from './register.ts';
import type { Gates } from './register.ts';

const RESOURCE = '/.well-known/oauth-protected-resource';
const SERVER = '/.well-known/oauth-authorization-server';
const OPENID = '/.well-known/openid-configuration';

/** Documents by which clients find their way. They do not depend on the identity provider. */
export function metadata(
  addresses: Addresses,
  grants: () => readonly Grant[],
  gates: () => Gates,
  config: () => ServerConfig,
): readonly OAuthEndpoint[] {
  const document = (
    path: string,
    body: (http: { params: Readonly<Record<string, string>> }) => JsonObject,
  ): OAuthEndpoint => ({
    method: 'GET',
    path,
    isCacheable: true,
    handle: ({ http }): Reply => ({ status: 200, body: body(http) }),
  });
  const resource = (suffix: string): OAuthEndpoint =>
    document(`${RESOURCE}${suffix}`, ({ params }) =>
      resourceDocument(addresses, suffix.replace(':preset', encodeURIComponent(params['preset'] ?? ''))),
    );
  const server = (path: string): OAuthEndpoint =>
    document(path, () => serverDocument(addresses, grants(), canRegister(gates()), config()));
  // An issuer with a path is asked for by RFC 8414 §3.1 and by OIDC Discovery §4.
  const { basePath } = addresses;
  const below =
    basePath === '' ? [] : [`${SERVER}${basePath}`, `${OPENID}${basePath}`, `${basePath}${OPENID}`];
  return [
    ...['', '/mcp', '/sse', '/mcp/t/:preset'].map(resource),
    ...[SERVER, OPENID, ...below].map(server),
    document('/.well-known/jwks.json', () => ({ keys: [] })),
  ];
}

/** Source: RFC 9728 §2 */
function resourceDocument(addresses: Addresses, path: string): JsonObject {
  return {
    resource: addresses.resourceAt(path),
    resource_name: 'Pegboard',
    authorization_servers: [addresses.base],
    bearer_methods_supported: ['header'],
    dpop_signing_alg_values_supported: SIGNATURE_ALGORITHMS,
  };
}

/** Source: RFC 8414 §2, OIDC Discovery §3 */
function serverDocument(
  addresses: Addresses,
  grants: readonly Grant[],
  isOpen: boolean,
  { enableCIMD, idp }: ServerConfig,
): JsonObject {
  return {
    issuer: addresses.base,
    authorization_endpoint: addresses.at('/oauth/authorize'),
    token_endpoint: addresses.at('/oauth/token'),
    ...(isOpen && { registration_endpoint: addresses.at('/oauth/register') }),
    revocation_endpoint: addresses.at('/oauth/revoke'),
    introspection_endpoint: addresses.at('/oauth/introspect'),
    userinfo_endpoint: addresses.at('/oauth/userinfo'),
    jwks_uri: addresses.at('/.well-known/jwks.json'),
    // Each sign-in can be refreshed; for offline_access, clients would have people asked for consent.
    scopes_supported: idp.scopes.filter((scope) => scope !== 'offline_access'),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: grants.map(({ type }) => type),
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: enableCIMD,
    claims_supported: ['sub', 'aud', 'iss', 'exp', 'iat', 'nonce'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    dpop_signing_alg_values_supported: SIGNATURE_ALGORITHMS,
    ...Object.fromEntries(grants.flatMap(({ metadata = {} }) => Object.entries(metadata))),
  };
}
