import type { Requirement } from './requirement.ts';

/** Sign-in of the people who use this gateway. */
export const SIGN_IN: readonly Requirement[] = [
  {
    id: 'oauth.server',
    sentence: 'An OAuth 2.1 authorization server towards its clients is an optional surface.',
    tests: ['plugins/auth-server/signIn: signs a person in: 401, metadata, authorize, callback, token, MCP'],
  },
  {
    id: 'oauth.paths',
    sentence: 'The OAuth server paths are present when oauth.server.enabled is true.',
    tests: [
      'plugins/auth-server/endpoints/metadata: describe the authorization server, in the forms of RFC 8414 and OIDC',
      'plugins/auth-server/endpoints/metadata: are absent while sign-in is off',
    ],
  },
  {
    id: 'oauth.bearer',
    sentence: 'Authorization: Bearer carries the access token when OAuth protection is on.',
    tests: [
      'plugins/auth-server/bearer/bearer: T53: refuses requests without a token, and says where to go',
      'plugins/auth-server/bearer/bearer: T57: ignores a token in the query',
    ],
  },
  {
    id: 'oauth.401',
    sentence:
      'A request without a valid bearer token is 401 with WWW-Authenticate pointing at the protected-resource metadata path.',
    tests: [
      'plugins/auth-server/bearer/bearer: T53: refuses requests without a token, and says where to go',
      'plugins/auth-server/bearer/bearer: T53: refuses garbage, ended and expired tokens with one text',
    ],
  },
  {
    id: 'oauth.path.protectedResource',
    sentence: '/.well-known/oauth-protected-resource is protected-resource metadata (RFC 9728).',
    tests: [
      'plugins/auth-server/endpoints/metadata: describe the resource at the root and at each path of MCP, so that strict clients find what they asked for',
    ],
  },
  {
    id: 'oauth.path.authorizationServer',
    sentence: '/.well-known/oauth-authorization-server is authorization-server metadata (RFC 8414).',
    tests: [
      'plugins/auth-server/endpoints/metadata: describe the authorization server, in the forms of RFC 8414 and OIDC',
      'plugins/auth-server/endpoints/metadata: are found below an issuer with a path',
    ],
  },
  {
    id: 'oauth.path.jwks',
    sentence: '/.well-known/jwks.json has the keys verifying tokens the service issues.',
    tests: [
      'plugins/auth-server/endpoints/metadata: describe the authorization server, in the forms of RFC 8414 and OIDC',
    ],
  },
  {
    id: 'oauth.path.authorize',
    sentence: '/oauth/authorize starts the authorization-code flow (PKCE required).',
    tests: [
      'plugins/auth-server/endpoints/authorize: sends the browser to the identity provider with state, nonce and PKCE of its own',
      'plugins/auth-server/endpoints/authorize: T7: demands a code_challenge',
    ],
  },
  {
    id: 'oauth.path.callback',
    sentence: '/oauth/callback takes the return from the identity provider.',
    tests: [
      'plugins/auth-server/providerLeg: lead to a code when they are honest',
      'plugins/auth-server/providerLeg: T22: refuses a state that is unknown, used or older than ten minutes',
    ],
  },
  {
    id: 'oauth.path.token',
    sentence: '/oauth/token issues and refreshes tokens, and exchanges them for configured broker clients.',
    tests: [
      'plugins/auth-server/endpoints/token: gives tokens, with scope, id token and lifetime',
      'plugins/auth-server/signIn: refreshes',
    ],
  },
  {
    id: 'oauth.path.register',
    sentence:
      '/oauth/register registers clients (RFC 7591), gated by the registration token or public registration.',
    tests: [
      'plugins/auth-server/endpoints/register: T66: refuses a registration without the token, with another one, and with a part of it',
      'plugins/auth-server/endpoints/register: knows a client by the best that it shows, also where anyone may register',
    ],
  },
  {
    id: 'oauth.path.revoke',
    sentence: '/oauth/revoke revokes tokens.',
    tests: [
      'plugins/auth-server/endpoints/revoke: ends the whole sign-in by its refresh token, without a client for public ones',
      'plugins/auth-server/endpoints/revoke: ends an access token alone',
    ],
  },
  {
    id: 'oauth.path.introspect',
    sentence: '/oauth/introspect introspects tokens.',
    tests: ['plugins/auth-server/endpoints/revoke: tells a client with a secret about its own tokens only'],
  },
  {
    id: 'oauth.path.userinfo',
    sentence: "/oauth/userinfo answers the identity of the token's subject.",
    tests: ['plugins/auth-server/bearer/bearer: tells what the provider said about the person, by scope'],
  },
  {
    id: 'oauth.delegates',
    sentence: 'Sign-in is delegated to an identity provider.',
    tests: ['plugins/auth-server/signIn: signs a person in: 401, metadata, authorize, callback, token, MCP'],
  },
  {
    id: 'oauth.pkce',
    sentence: 'Authorization-code flow with PKCE is required.',
    tests: [
      'plugins/auth-server/endpoints/authorize: T7: demands a code_challenge',
      'plugins/auth-server/endpoints/authorize: T8: demands S256, also if no method is named',
      'plugins/auth-server/endpoints/token: T33: is burned by a wrong verifier',
    ],
  },
  {
    id: 'oauth.state',
    sentence: 'state is enforced.',
    tests: [
      'plugins/auth-server/endpoints/authorize: T10: demands a state of 8 to 1,024 characters, such as Codex (22) and VS Code (24) send',
      'plugins/auth-server/providerLeg: T22: refuses a state that is unknown, used or older than ten minutes',
    ],
  },
  {
    id: 'oauth.opaque',
    sentence: 'Access tokens are opaque; the service never signs tokens used downstream.',
    tests: [
      'plugins/auth-server/endpoints/token: gives tokens, with scope, id token and lifetime',
      'plugins/auth-server/bearer/bearer: stores digests of tokens only',
    ],
  },
  {
    id: 'oauth.audience',
    sentence:
      'The aud claim of access tokens is the resourceIdentifier; tokens bound to another resource are rejected.',
    tests: [
      'plugins/auth-server/bearer/bearer: T56: refuses access tokens for another resource',
      'plugins/auth-server/endpoints/token: T49: keeps audience, scope and person after a refresh',
      'plugins/auth-server/endpoints/authorize: T11: refuses a resource that is not this gateway',
    ],
  },
  {
    id: 'oauth.accessLifetime',
    sentence:
      "Access tokens live 30 minutes, not configurable, capped to the identity provider's token lifetime.",
    tests: [
      "plugins/auth-server/endpoints/token: T50: is valid for at most ${most} s if the provider's token is for ${seconds} s",
    ],
  },
  {
    id: 'oauth.refresh',
    sentence: 'Access tokens are refreshed with the refresh token automatically.',
    tests: [
      'plugins/auth-server/signIn: refreshes',
      'plugins/auth-server/bearer/bearer: survive a refresh of the tokens',
    ],
  },
  {
    id: 'oauth.refreshLifetime',
    sentence: 'Refresh tokens live sessionDuration (720h), rolling with each rotation.',
    tests: ['plugins/auth-server/endpoints/token: lives for sessionDuration, counted anew from each refresh'],
  },
  {
    id: 'oauth.absoluteLifetime',
    sentence:
      "The identity provider's absolute lifetime is measured from the original login and does not reset.",
    tests: ['plugins/auth-server/endpoints/token: ends with the grant at the provider'],
  },
  {
    id: 'oauth.dpop',
    sentence: 'DPoP is supported for normal clients.',
    tests: ['plugins/auth-server/bearer/bearer: T59, T60: are accepted with a fresh proof of that key only'],
  },
  {
    id: 'oauth.dpopProxy',
    sentence: 'The htu URL is rebuilt from forwarded headers only from trustedProxyCIDRs ([]).',
    tests: [
      'plugins/auth-server/web/forwardedRequest: T61: ignores the forwarded headers of an untrusted peer',
      'plugins/auth-server/web/forwardedRequest: takes scheme and host of a trusted proxy, and always the base URL',
      'plugins/auth-server/web/forwardedRequest: reads Forwarded of trusted proxies: the rightmost address that is not one, scheme and host of the last',
    ],
  },
  {
    id: 'oauth.clientDocument',
    sentence: 'A client_id that is a URL is fetched as a client metadata document.',
    tests: ['plugins/auth-server/clients/clientDocuments: describe a public client'],
  },
  {
    id: 'oauth.clientDocumentAddress',
    sentence:
      'Its host must not resolve to a private, loopback or link-local address: OAuth error invalid_client says so.',
    tests: [
      'plugins/auth-server/clients/clientDocuments: T69: are not fetched from private addresses, in any notation',
      'plugins/auth-server/registration: T69: refuses a metadata document at a private address',
    ],
  },
  {
    id: 'oauth.redirects',
    sentence:
      'Redirect URIs are re-validated when the flow starts, with exact matching against registration.',
    tests: [
      'plugins/auth-server/endpoints/authorize: T3: refuses a registered redirect URI that now leads to a private address, without a redirect',
      "plugins/auth-server/endpoints/authorize: T2: answers 400 for the redirect URI ${uri ?? '(none)'}, without a redirect",
    ],
  },
  {
    id: 'oauth.redirectAddress',
    sentence:
      'A redirect URI whose host resolves to a private address is refused: hostname resolves to private IP address.',
    tests: [
      'plugins/auth-server/clients/redirectUri: T3: refuses a host that was public at the registration and is private now',
    ],
  },
  {
    id: 'oauth.key.resourceIdentifier',
    sentence: 'resourceIdentifier is the canonical URI of this instance; empty means baseUrl.',
    tests: [
      'plugins/auth-server/endpoints/metadata: name resourceIdentifier as the resource',
      'plugins/auth-server/endpoints/metadata: describe the resource at the root and at each path of MCP, so that strict clients find what they asked for',
    ],
  },
  {
    id: 'oauth.key.allowPrivateIPClientMetadata',
    sentence: 'allowPrivateIPClientMetadata (false) allows private addresses there, with a warning at start.',
    tests: [
      'plugins/auth-server/config: warns about each switch that weakens the sign-in, also at the start',
      'plugins/auth-server/clients/clientDocuments: T69: are not fetched from private addresses, in any notation',
    ],
  },
  {
    id: 'oauth.key.allowPrivateIPRedirectURIs',
    sentence:
      'allowPrivateIPRedirectURIs (false) allows private redirect URIs, with a warning; exact matching stays.',
    tests: [
      'plugins/auth-server/config: warns about each switch that weakens the sign-in, also at the start',
      'plugins/auth-server/clients/redirectUri: opens only its own door with each switch',
    ],
  },
  {
    id: 'oauth.key.allowPrivateIPOIDC',
    sentence:
      'idp.allowPrivateIPOIDC (false) allows an issuer at a private address, with a warning at start.',
    tests: [
      'plugins/auth-server/config: warns about each switch that weakens the sign-in, also at the start',
    ],
  },
  {
    id: 'oauth.idpAddress',
    sentence:
      'An issuer that resolves to a private address fails discovery, and the server starts in degraded mode.',
    tests: [
      'plugins/auth-server/config: has the provider stay unknown if it has a private address and idp.allowPrivateIPOIDC is false',
      'plugins/auth-server/bearer/bearer: T65: leaves /health open, and answers 503 to others until the provider is found',
    ],
  },
];
