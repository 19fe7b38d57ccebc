// Generated from schemas/config/auth-exchange.schema.json by npm run tables.
export interface AuthExchangeConfig {
  /** Taken from config.yaml. */
  readonly aggregator: {
    /** Taken from aggregator.extraCaFile. */
    readonly extraCaFile?: string;
    /** Taken from aggregator.proxy. */
    readonly proxy?: string;
    /** Taken from aggregator.noProxy. */
    readonly noProxy?: readonly string[];
    /** Taken from aggregator.proxyResolves. */
    readonly proxyResolves?: boolean;
    /** Sign-in. */
    readonly oauth: {
      /** Taken from aggregator.oauth.tls. */
      readonly tls?: Readonly<Record<string, unknown>>;
      /** Towards clients. */
      readonly server: ExchangeConfig;
    };
  };
}
export interface ExchangeConfig {
  /** Issuers whose tokens are accepted as bearer tokens and as subject tokens. */
  readonly trustedIssuers: readonly TrustedIssuer[];
  /** Tokens of other services for confidential clients, in exchange for tokens of trusted issuers. */
  readonly tokenExchangeBroker?: BrokerConfig;
}
export interface BrokerConfig {
  /** Client id and the targets that it may name; others are answered invalid_target. */
  readonly clientAudiences: Readonly<Record<string, readonly string[]>>;
  /** The services, by audience. */
  readonly targets: Readonly<Record<string, BrokerTarget>>;
  /** Clients with a secret that need not register, by client id. */
  readonly brokerClients: Readonly<Record<string, BrokerClient>>;
  /** Whether token endpoints of targets may have private or loopback addresses. Warned about at the start. */
  readonly allowPrivateIP: boolean;
}
export interface BrokerClient {
  /** File that holds its secret; read at each use. */
  readonly clientSecretFile?: string;
  /** Secret of the orchestrator that holds the credentials; read in orchestrator mode only. */
  readonly clientCredentialsSecretRef?: SecretRef;
  /** Informational. */
  readonly scopes?: string | readonly string[];
}
export interface BrokerTarget {
  /** Exchange form: token endpoint of the downstream identity provider; http only for localhost. */
  readonly idpTokenEndpoint?: string;
  /** Expected iss of its tokens; empty: the endpoint without /token (Keycloak: without
   *  /protocol/openid-connect/token), and opaque tokens are handed on. */
  readonly expectedIssuer?: string;
  /** Sent as connector_id (Dex): by which connector the provider knows the subject's issuer. */
  readonly connectorId?: string;
  /** Sent as audience: the client of the provider that the token is for (Keycloak). */
  readonly audience?: string;
  /** Sent as resource: the address of the service that the token is for. */
  readonly resource?: string;
  /** Type of the token to ask for; default: id_token with connectorId, else access_token. */
  readonly requestedTokenType?: 'id_token' | 'access_token' | 'jwt';
  /** Type of the subject tokens that the provider takes (Keycloak: access_token); clients with others are
   *  refused. Default: any. */
  readonly subjectTokenType?: 'id_token' | 'access_token' | 'jwt';
  /** Scopes to ask for, separated by spaces, whatever the client asks for; default: openid profile email groups
   *  with connectorId, else none. */
  readonly scopes?: string;
  /** This gateway's client id at the provider. */
  readonly clientId?: string;
  /** File that holds the secret; read at each exchange. */
  readonly clientSecretFile?: string;
  /** Secret of the orchestrator that holds the credentials; read in orchestrator mode only. */
  readonly clientCredentialsSecretRef?: SecretRef;
  /** Grant form: issuer of an authorization server that a server pins with auth.authorizationServer; excludes
   *  all other keys. */
  readonly grantIssuer?: string;
}
export interface SecretRef {
  /** Its name. */
  readonly name: string;
  /** Its namespace; default: that of Pegboard. */
  readonly namespace?: string;
  /** Key of the client id. */
  readonly clientIdKey: string;
  /** Key of the secret. */
  readonly clientSecretKey: string;
}
export interface TrustedIssuer {
  /** Expected iss, exactly. */
  readonly issuer: string;
  /** Address of its keys, independent of the issuer; http only for localhost. */
  readonly jwksUrl: string;
  /** What its tokens must be for (aud), one of them. Empty: as subject tokens any; as bearer tokens this
   *  gateway (resourceIdentifier, baseUrl or one of its MCP paths). */
  readonly allowedAudiences: readonly string[];
  /** Ceiling of the scopes that its tokens may give; others are left out. Absent or null: any; an empty list:
   *  no scope. */
  readonly allowedScopes: readonly string[] | null;
  /** Claims that its tokens must have: name and exact text, or pattern with * (any characters, / too) and ?
   *  (one). A claim that is absent or no text is refused. */
  readonly allowedClaims: Readonly<Record<string, string>>;
  /** Whether jwksUrl may have a private or loopback address. Warned about at the start. */
  readonly allowPrivateIPJWKS: boolean;
  /** Claim that names the person. */
  readonly subjectClaim: string;
  /** Values of the header typ that access tokens and bearer tokens may have; an empty text: tokens without typ. */
  readonly acceptedTypHeaders: readonly string[];
  /** Whether its identity assertions (ID-JAG) may be exchanged for access tokens of this gateway:
   *  enterprise-managed authorization. */
  readonly allowIdentityAssertions: boolean;
}
