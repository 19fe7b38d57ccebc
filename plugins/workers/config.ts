// Generated from schemas/config/workers.schema.json by npm run tables.
export interface WorkersConfig {
  /** Processes that serve the port together, the first one included; auto is one for each core. */
  readonly count: number | 'auto';
  /** Longest wait before a worker that has ended is started again; the first time it is started at once. */
  readonly restartMaxMs: number;
  /** Time in which a worker must show that it still runs; one that does not is ended and started again. 0 is
   *  never, for a debugger that stops it. */
  readonly hungMs: number;
}
