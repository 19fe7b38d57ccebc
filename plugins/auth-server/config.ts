// Generated from schemas/config/auth-server.schema.json by npm run tables.
export interface AuthServerConfig {
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
      readonly server: ServerConfig;
    };
  };
}
export interface ServerConfig {
  /** Whether clients must sign in. */
  readonly enabled: boolean;
  /** Address by which clients reach this gateway, without a path at its end: https://gateway.example.com. It is
   *  the issuer. http only for localhost. */
  readonly baseUrl: string;
  /** What access tokens are for (aud): the canonical address of this gateway, best <baseUrl>/mcp; empty:
   *  baseUrl. */
  readonly resourceIdentifier: string;
  /** Lifetime of a refresh token, counted anew from each use: 720h. The identity provider's own limit counts
   *  from the sign-in. */
  readonly sessionDuration: string;
  /** The identity provider at which people sign in. */
  readonly idp: ProviderConfig;
  /** Whether a person is asked before a client gets access. auto: for clients that registered themselves or
   *  have a metadata document, unless all their redirect URIs lead to this machine. */
  readonly consent: 'auto' | 'always' | 'never';
  /** Ids of clients for which no one is asked. */
  readonly trustedClients: readonly string[];
  /** Clients with which people may sign in, by host: of its metadata document, or of all its redirect URIs;
   *  claude.ai, *.example.com, localhost for clients on the person's machine, cursor: for a scheme. Empty: any. */
  readonly allowedClients: readonly string[];
  /** Bearer token with which clients may register; better ${env:…} or ${file:…} than the text itself. */
  readonly registrationToken?: string;
  /** File that holds it; used if registrationToken is missing. */
  readonly registrationTokenFile?: string;
  /** Whether any client may register. Warned about at the start. */
  readonly allowPublicClientRegistration: boolean;
  /** Clients may register whose redirect URIs all have one of these schemes: cursor, vscode. */
  readonly trustedPublicRegistrationSchemes: readonly string[];
  /** Clients may register whose redirect URIs are all in this list. */
  readonly trustedPublicRegistrationRedirectURIs: readonly string[];
  /** Whether a client may be known by the address of its metadata document. */
  readonly enableCIMD: boolean;
  /** Whether redirect URIs may lead to this machine of the person: http://localhost, http://127.0.0.1. */
  readonly allowLocalhostRedirectURIs: boolean;
  /** Whether clients may register with the redirect URIs of Claude, ChatGPT, VS Code and Cursor, beside those
   *  of this machine. People are asked for consent. */
  readonly allowWellKnownRedirectURIs: boolean;
  /** Whether a device without a browser may be signed in by a code that a person types elsewhere (RFC 8628).
   *  Off, because people are talked into typing the codes of other persons' devices. */
  readonly allowDeviceFlow: boolean;
  /** Whether client metadata documents may have private or loopback addresses. Warned about at the start. */
  readonly allowPrivateIPClientMetadata: boolean;
  /** Whether redirect URIs may lead to private addresses. Warned about at the start. */
  readonly allowPrivateIPRedirectURIs: boolean;
  /** Origins whose pages may read the sign-in's answers (CORS), separated by commas: https://app.example.com.
   *  Added to plugins.http.config.allowedOrigins. */
  readonly allowedOrigins: string;
  /** Client ids of the identity provider whose id tokens are accepted as bearer tokens. */
  readonly trustedAudiences: readonly string[];
  /** Read by the plugin auth-exchange. */
  readonly trustedIssuers?: readonly unknown[];
  /** Read by the plugin auth-exchange. */
  readonly tokenExchangeBroker?: Readonly<Record<string, unknown>>;
  /** Networks of proxies whose X-Forwarded-* and Forwarded headers are trusted: 10.0.0.0/8. */
  readonly trustedProxyCIDRs: readonly string[];
  /** Time for which calls go on with access tokens in use while the store, such as Redis, cannot be read, in
   *  ms. So long after its revocation elsewhere a process that is cut off may accept one. 0: such calls are
   *  answered 503 at once. */
  readonly redisGraceMs: number;
  /** Whether DPoP proofs must hold a nonce of this gateway; clients get it with the first refusal. */
  readonly requireDpopNonce: boolean;
  /** Requests per second, twice as many at once; beyond it they are answered 429 with Retry-After. */
  readonly rateLimits: {
    /** Requests of one address: to the sign-in's paths, and refused ones to MCP. */
    readonly perAddress: number;
    /** Requests of one client to /oauth/token. */
    readonly perClient: number;
    /** Requests of one person to MCP. */
    readonly perPerson: number;
    /** Registrations of one address in an hour; for IPv6 of its /64 network. */
    readonly registrations: number;
    /** Log lines a minute about refusals for one reason, of an address; a last line of the minute says how many
     *  further ones there were. */
    readonly logLines: number;
  };
}
export interface ProviderConfig {
  /** Which product it is: fills scopes and parameters where they are not written. */
  readonly provider?: 'auth0' | 'dex' | 'entra' | 'google' | 'keycloak' | 'okta';
  /** Its issuer: https://login.example.com. */
  readonly issuerUrl: string;
  /** This gateway's client id at the provider; its redirect URI there is <baseUrl>/oauth/callback. */
  readonly clientId: string;
  /** This gateway's secret at the provider; better ${env:…} or ${file:…} than the text itself. */
  readonly clientSecret?: string;
  /** File that holds the secret; used if clientSecret is missing. */
  readonly clientSecretFile?: string;
  /** Sent to the provider as connector_id (Dex). */
  readonly connectorId?: string;
  /** Scopes to ask the provider for. */
  readonly scopes: readonly string[];
  /** Scope by which the provider makes an id token be for one audience more of auth.requiredAudiences; empty:
   *  they are not asked for. */
  readonly audienceScope: string;
  /** Claim of the id token or of userinfo with a person's groups, or a path to it: realm_access.roles,
   *  https://example.com/roles. */
  readonly groupsClaim: string;
  /** Whether the provider may have a private or loopback address. Warned about at the start. */
  readonly allowPrivateIPOIDC: boolean;
  /** More parameters of the request to the provider: Google gives a refresh token only for access_type:
   *  offline. */
  readonly parameters: Readonly<Record<string, string>>;
}
