/** schemas/config/local-token.schema.json has meaning and default. */
export interface LocalTokenConfig {
  readonly localToken: boolean;
}
