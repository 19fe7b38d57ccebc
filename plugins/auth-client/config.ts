/** `plugins.auth-client.config`; schemas/config/auth-client.schema.json has meanings and defaults. */
export interface AuthClientConfig {
  readonly extraCaFile?: string;
}
