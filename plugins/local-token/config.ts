// Generated from schemas/config/local-token.schema.json by npm run tables.
export interface LocalTokenConfig {
  /** Taken from aggregator.localToken. */
  readonly localToken: boolean;
}
