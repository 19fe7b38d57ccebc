// Generated from schemas/config/core-config.schema.json by npm run tables.
export interface ConfigToolsConfig {
  /** How long update and reload wait for their outcome, in ms. A listener that restarts waits for the very call
   *  that restarts it, so the answer must not wait for the listener. */
  readonly answerWithinMs: number;
}
