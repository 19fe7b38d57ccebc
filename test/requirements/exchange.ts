import type { Requirement } from './requirement.ts';

/** Tokens of other issuers, and the broker. */
export const EXCHANGE: readonly Requirement[] = [
  {
    id: 'exchange.subject',
    sentence:
      'Subject tokens of types id_token, access_token or jwt are validated against trustedIssuers (RFC 8693).',
    tests: [
      'plugins/auth-exchange/broker/exchangeGrant: the subject token may be an id token, an access token or a JWT, and nothing else',
      'plugins/auth-exchange/trust/trustedFields: T78: each use takes its types only: no id token as access token, and the reverse',
    ],
  },
  {
    id: 'exchange.issuer',
    sentence: 'TrustedIssuer.issuer is the expected iss claim.',
    tests: ['plugins/auth-exchange/trust/trustedIssuers: is compared exactly'],
  },
  {
    id: 'exchange.jwksUrl',
    sentence: 'TrustedIssuer.jwksUrl is the key-set endpoint, independent of issuer.',
    tests: [
      'plugins/auth-exchange/trust/trustedIssuers: have their keys at jwksUrl, which need not belong to the issuer',
    ],
  },
  {
    id: 'exchange.allowedAudiences',
    sentence: 'TrustedIssuer.allowedAudiences: empty accepts any audience.',
    tests: [
      'plugins/auth-exchange/trust/trustedFields: empty: any audience for subject tokens, this gateway for bearer tokens',
      'plugins/auth-exchange/trust/trustedFields: set: one of them, exactly, for every use',
    ],
  },
  {
    id: 'exchange.allowedScopes',
    sentence: 'TrustedIssuer.allowedScopes is a scope ceiling; nil means no restriction.',
    tests: [
      'plugins/auth-exchange/trust/trustedFields: empty: leaves no scope',
      'plugins/auth-exchange/trust/trustedFields: set: leaves what is in both',
    ],
  },
  {
    id: 'exchange.allowedClaims',
    sentence:
      'TrustedIssuer.allowedClaims: exact strings or globs; an absent or non-string claim is rejected.',
    tests: [
      'plugins/auth-exchange/trust/allowedClaims: T78: are texts, or patterns with * and ? for the whole value',
      'plugins/auth-exchange/trust/allowedClaims: T78: refuse what is absent or no text',
      'plugins/auth-exchange/trust/allowedClaims: absent or empty: demands no claim',
    ],
  },
  {
    id: 'exchange.allowPrivateIPJWKS',
    sentence: 'TrustedIssuer.allowPrivateIPJWKS (false) allows a private jwksUrl, with a warning at start.',
    tests: [
      'plugins/auth-exchange/trust/trustedIssuers: have their keys at a private address only if allowPrivateIPJWKS is true',
      'plugins/auth-exchange/config: warns about switches that weaken it, and about a broker without issuers',
    ],
  },
  {
    id: 'broker.client',
    sentence: 'A brokered exchange needs an authenticated, confidential client.',
    tests: [
      'plugins/auth-exchange/broker/exchangeGrant: T76: has a secret',
      'plugins/auth-exchange/broker/exchangeGrant: T76: without authentication, unknown, or with a wrong secret: 401 with one text',
    ],
  },
  {
    id: 'broker.clientAudiences',
    sentence: "The audience must be in the client's clientAudiences, else OAuth error invalid_target.",
    tests: [
      'plugins/auth-exchange/broker/exchangeGrant: T75: is not served to a client that clientAudiences does not name',
    ],
  },
  {
    id: 'broker.noRefresh',
    sentence: 'No refresh token is issued; expires_in is bounded by the downstream token.',
    tests: [
      'plugins/auth-exchange/broker/exchangeAnswer: T80: gives neither a refresh token nor an id token of the provider, nor anything else',
      'plugins/kit/oauth/downstream: is at most a year, and a minute if it has no end',
    ],
  },
  {
    id: 'broker.noDpop',
    sentence: 'DPoP is rejected in a brokered exchange.',
    tests: ['plugins/auth-exchange/broker/exchangeGrant: T77: a header DPoP is refused, whatever it says'],
  },
  {
    id: 'broker.scope',
    sentence: "The client's scope parameter is ignored.",
    tests: [
      'plugins/auth-exchange/broker/exchangeAnswer: T79: the scope of the client is ignored, and the answer says what was granted',
    ],
  },
  {
    id: 'broker.targets',
    sentence: 'targets maps an audience to its BrokerTarget.',
    tests: [
      'plugins/auth-exchange/config: is complete with an issuer, a client, what it may name, and a target',
      'plugins/auth-exchange/broker/downstreamTokens: T82: two targets with one endpoint and one connector get the tokens of their scopes',
    ],
  },
  {
    id: 'broker.exchangeForm',
    sentence:
      'The exchange form has idpTokenEndpoint, expectedIssuer, connectorId, scopes and clientCredentialsSecretRef with their defaults.',
    tests: [
      'plugins/auth-exchange/config: has a connector and credentials',
      'plugins/kit/oauth/downstream: is not asked of an opaque token where expectedIssuer is not written, as it is of a JWT',
      'plugins/auth-exchange/broker/exchangeAnswer: may be opaque, as access tokens of many providers are, unless the target has an expectedIssuer',
      'plugins/auth-exchange/config: may have credentials of the orchestrator, which are not read here',
      'heavy/kubernetesSecrets: of another namespace are read by their name alone, for the client of an exchange',
      'plugins/kit/oauth/downstreamNetwork: derives the issuer from the endpoint',
    ],
  },
  {
    id: 'broker.crossAudience',
    sentence: "Orchestrator-bound audiences add the identity provider's cross-client audience scope.",
    tests: [
      'plugins/auth-exchange/broker/exchangeAnswer: T79: asks for the scopes of the target, such as those of the audience of a cluster',
    ],
  },
  {
    id: 'broker.grantForm',
    sentence:
      'The grant form has grantIssuer, excludes idpTokenEndpoint and takes no field of the exchange form.',
    tests: [
      'plugins/auth-exchange/config: has one of two forms',
      'plugins/auth-exchange/config: may have the grant form, for people of the login provider if it is trusted',
    ],
  },
  {
    id: 'broker.grantRelease',
    sentence:
      "A person's own grant is released, refreshed first when due, with its remaining lifetime and never the refresh token.",
    tests: [
      'plugins/auth-exchange/broker/grantReleases: answer with the grant of the person, and what is left of its life',
      'plugins/auth-exchange/broker/grantReleases: T86: never answer with another token, whatever the grant has',
      'e2e/brokeredGrants: T87: 50 requests near the end of a grant cause one refresh, and all get a token that lasts',
      'plugins/auth-exchange/broker/grantReleases: answer 503 while a grant that is due cannot be refreshed, or the store cannot be reached',
    ],
  },
  {
    id: 'broker.noGrant',
    sentence: 'A person without a grant gets invalid_target.',
    tests: [
      'e2e/brokeredGrants: T84, T85: are those of the person who is named, at the login issuer',
      'plugins/auth-exchange/broker/grantReleases: T84: answer invalid_target without a grant, or with one that has ended',
      'plugins/auth-exchange/broker/grantReleases: T85: answer invalid_target to tokens of another trusted issuer for an equal name',
    ],
  },
  {
    id: 'broker.clients',
    sentence:
      'brokerClients are confidential clients seeded at startup, with clientCredentialsSecretRef or clientSecretFile, and scopes.',
    tests: [
      'plugins/auth-exchange/config: has for each client one source of its secret',
      'plugins/auth-exchange/live: reads the secret of a client at each use: a replaced one counts at once, without a reload',
    ],
  },
  {
    id: 'broker.allowPrivateIP',
    sentence: 'allowPrivateIP (false) allows downstream token endpoints at private addresses.',
    tests: [
      'plugins/kit/oauth/downstreamNetwork: is closed to private addresses until allowPrivateIP opens it',
    ],
  },
  {
    id: 'broker.address',
    sentence:
      'A token exchange endpoint that resolves to a private address fails with a DNS-rebinding error.',
    tests: [
      'plugins/kit/oauth/downstreamNetwork: is not taken to private addresses, by whatever name: the reason is in the answer, the fix in the log',
    ],
  },
];
