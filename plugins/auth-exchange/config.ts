/** Keys of `aggregator.oauth.server`; schemas/config/auth-exchange.schema.json has meanings and defaults. */
export interface ExchangeConfig {
  readonly trustedIssuers: readonly TrustedIssuer[];
  readonly tokenExchangeBroker?: BrokerConfig;
}
export interface TrustedIssuer {
  readonly issuer: string;
  readonly jwksUrl: string;
  readonly allowedAudiences: readonly string[];
  /** Null: any. */
  readonly allowedScopes: readonly string[] | null;
  readonly allowedClaims: Readonly<Record<string, string>>;
  readonly allowPrivateIPJWKS: boolean;
  readonly subjectClaim: string;
  readonly acceptedTypHeaders: readonly string[];
  readonly allowIdentityAssertions: boolean;
}
export interface BrokerConfig {
  readonly clientAudiences: Readonly<Record<string, readonly string[]>>;
  readonly targets: Readonly<Record<string, BrokerTarget>>;
  readonly brokerClients: Readonly<Record<string, BrokerClient>>;
  readonly allowPrivateIP: boolean;
}
/** The exchange form has idpTokenEndpoint, the grant form has grantIssuer; configFindings refuses a mixture. */
export interface BrokerTarget {
  readonly idpTokenEndpoint?: string;
  readonly expectedIssuer?: string;
  readonly connectorId?: string;
  /** Separated by spaces. */
  readonly scopes?: string;
  readonly clientId?: string;
  readonly clientSecretFile?: string;
  readonly clientCredentialsSecretRef?: SecretRef;
  readonly grantIssuer?: string;
}
export interface BrokerClient {
  readonly clientSecretFile?: string;
  readonly clientCredentialsSecretRef?: SecretRef;
  readonly scopes?: string | readonly string[];
}
export interface SecretRef {
  readonly name: string;
  readonly namespace?: string;
  readonly clientIdKey: string;
  readonly clientSecretKey: string;
}
/** The place in config.yaml is kept, so that findings name it. */
export interface AuthExchangeConfig {
  readonly aggregator: {
    readonly extraCaFile?: string;
    readonly proxy?: string;
    readonly noProxy?: readonly string[];
    readonly proxyResolves?: boolean;
    readonly oauth: { readonly server: ExchangeConfig; readonly tls?: Readonly<Record<string, unknown>> };
  };
}
