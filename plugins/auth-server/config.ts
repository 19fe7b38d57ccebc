/** `aggregator.oauth.server`; schemas/config/auth-server.schema.json has meanings and defaults. */
export interface ServerConfig {
  readonly enabled: boolean;
  /** The issuer: absolute, without a slash at its end. */
  readonly baseUrl: string;
  readonly resourceIdentifier: string;
  readonly sessionDuration: string;
  readonly idp: ProviderConfig;
  readonly consent: 'auto' | 'always' | 'never';
  readonly trustedClients: readonly string[];
  readonly registrationToken?: string;
  readonly registrationTokenFile?: string;
  readonly allowPublicClientRegistration: boolean;
  readonly trustedPublicRegistrationSchemes: readonly string[];
  readonly trustedPublicRegistrationRedirectURIs: readonly string[];
  readonly enableCIMD: boolean;
  readonly allowLocalhostRedirectURIs: boolean;
  readonly allowPrivateIPClientMetadata: boolean;
  readonly allowPrivateIPRedirectURIs: boolean;
  readonly allowedOrigins: string;
  readonly trustedAudiences: readonly string[];
  readonly trustedProxyCIDRs: readonly string[];
  /** Read by the plugin auth-exchange, and so is the next one. */
  readonly trustedIssuers?: readonly unknown[];
  readonly tokenExchangeBroker?: Readonly<Record<string, unknown>>;
  readonly requireDpopNonce: boolean;
  /** Requests per second. */
  readonly rateLimits: {
    readonly perAddress: number;
    readonly perClient: number;
    readonly perPerson: number;
    readonly logLines: number;
  };
}
export interface ProviderConfig {
  readonly issuerUrl: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly clientSecretFile?: string;
  readonly connectorId?: string;
  readonly scopes: readonly string[];
  readonly parameters: Readonly<Record<string, string>>;
  readonly allowPrivateIPOIDC: boolean;
}
/** The place in config.yaml is kept, so that findings name it. */
export interface AuthServerConfig {
  readonly aggregator: {
    readonly extraCaFile?: string;
    readonly proxy?: string;
    readonly noProxy?: readonly string[];
    readonly proxyResolves?: boolean;
    readonly oauth: { readonly server: ServerConfig; readonly tls?: Readonly<Record<string, unknown>> };
  };
}
