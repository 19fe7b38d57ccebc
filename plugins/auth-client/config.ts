/** `aggregator.oauth.mcpClient`; schemas/config/auth-client.schema.json has meanings and defaults. */
export interface ClientConfig {
  readonly enabled: boolean;
  readonly publicUrl?: string;
  readonly clientId?: string;
  readonly callbackPath: string;
  readonly cimd: { readonly path: string; readonly scopes: string };
  readonly postLoginRedirectAllowlist: readonly string[];
  readonly tokenExchange: { readonly allowPrivateIP: boolean };
}
/** The place in config.yaml is kept, so that findings name it. */
export interface AuthClientConfig {
  readonly aggregator: {
    readonly extraCaFile?: string;
    readonly proxy?: string;
    readonly noProxy?: readonly string[];
    readonly proxyResolves?: boolean;
    readonly oauth: {
      readonly server: { readonly baseUrl?: string };
      readonly mcpClient: ClientConfig;
      readonly tls?: Readonly<Record<string, unknown>>;
    };
  };
}
