// Generated from schemas/config/auth-client.schema.json by npm run tables.
export interface AuthClientConfig {
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
      /** The sign-in at this gateway. */
      readonly server: {
        /** Taken from aggregator.oauth.server.baseUrl. */
        readonly baseUrl?: string;
      };
      /** Towards MCP servers. */
      readonly mcpClient: ClientConfig;
    };
  };
}
export interface ClientConfig {
  /** Whether callers can sign in at MCP servers. */
  readonly enabled: boolean;
  /** Address at which browsers and authorization servers reach this gateway, without a slash at the end;
   *  default: aggregator.oauth.server.baseUrl, else the address of the listener. */
  readonly publicUrl?: string;
  /** client_id at authorization servers that take client metadata documents; default: the URL of the gateway's
   *  own document. */
  readonly clientId?: string;
  /** Path of the return from an authorization server. */
  readonly callbackPath: string;
  /** The client metadata document. */
  readonly cimd: {
    /** Its path. */
    readonly path: string;
    /** Its scope, separated by spaces. */
    readonly scopes: string;
  };
  /** Addresses, with everything below their paths, to which the browser may be sent after a sign-in. */
  readonly postLoginRedirectAllowlist: readonly string[];
  /** Exchange of tokens at the identity providers of servers. */
  readonly tokenExchange: {
    /** Whether their token endpoints may have private addresses; implied by aggregator.extraCaFile. */
    readonly allowPrivateIP: boolean;
  };
}
