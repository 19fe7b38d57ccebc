// Generated from schemas/config/limits.schema.json by npm run tables.
export interface LimitsConfig {
  /** Limits of each session: every call of a meta-tool counts. New sessions are cheap, so it guards against a
   *  client that runs wild, not against a hostile one. */
  readonly perSession: Limit;
  /** Limits of each person or machine that signed in; without sign-in, of each network address. Every call of a
   *  meta-tool counts. */
  readonly perCaller: Limit;
  /** Limits of each MCP server: every call that reaches it counts, steps of workflows too. */
  readonly perServer: Limit;
  /** Limits of each tool behind call_tool, steps of workflows too. */
  readonly perTool: Limit;
  /** MCP servers by name that have a limit of their own instead of perServer. */
  readonly servers: Readonly<Record<string, Limit>>;
  /** Tools by exact name that have a limit of their own instead of perTool. */
  readonly tools: Readonly<Record<string, Limit>>;
  /** Whether the processes that act as one gateway count together. Needs vault-redis; a limit in use costs one
   *  round trip a second. */
  readonly shared: boolean;
  /** Value of retryAfter when too many calls run at a time, since it is not known when one ends. */
  readonly busyRetrySeconds: number;
  /** Sessions, callers, servers and tools whose counts are kept, for each of the four; the longest unused is
   *  forgotten first. */
  readonly maxEntries: number;
}
export interface Limit {
  /** Calls a minute in the long run; 0: any number. */
  readonly callsPerMinute: number;
  /** Calls that may come at once after a rest. */
  readonly burst: number;
  /** Calls that may run at a time; 0: any number. */
  readonly concurrent: number;
}
