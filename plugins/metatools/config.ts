// Generated from schemas/config/metatools.schema.json by npm run tables.
export interface MetatoolsConfig {
  /** Taken from aggregator.callToolEnvelope. */
  readonly callToolEnvelope: 'native' | 'json';
  /** Taken from aggregator.resultBudget, in bytes of text or of structured content; 0 is off. */
  readonly resultBudget: number;
  /** Oversized results kept in the vault for get_result; with more, the owner of the most loses the oldest. */
  readonly maxStoredResults: number;
  /** Characters of all stored results together, shared alike; one that is too large is answered by its head
   *  only. */
  readonly maxStoredChars: number;
  /** A stored result is gone so long after the last call of its owner; 90 days at most. */
  readonly storedResultTtlSeconds: number;
  /** How many ids (execution_id, id, …) are shown of a result that is over the budget. */
  readonly maxKeptIds: number;
  /** Memory for stored results that were read lately, so that paging does not read the vault again. */
  readonly readCacheBytes: number;
  /** Most characters of an oversized result that are answered at once; fewer where they would exceed
   *  aggregator.resultBudget with its note and _meta. */
  readonly headChars: number;
  /** A text of lines up to this size passes whole to a client that saves it to a file (Claude Code); 0 is off. */
  readonly maxSavedBytes: number;
  /** Characters of a get_result page without limit. */
  readonly pageChars: number;
  /** Most characters of a get_result page, whatever limit says. */
  readonly maxPageChars: number;
  /** How long one select of get_result may take, and the examination of one result of more than 1 MiB; then
   *  their worker is ended. */
  readonly workerMs: number;
  /** A page of list_tools or filter_tools without limit shortens its summaries to stay within this, then ends
   *  early. */
  readonly defaultPageBytes: number;
  /** A page of list_tools or filter_tools ends early at this size; filters.limit then says how many entries it
   *  holds. */
  readonly maxPageBytes: number;
  /** How long a search that finds nothing sure waits for servers that are connecting for the first time. */
  readonly startingWaitMs: number;
  /** Characters of a filter_tools query that are read; a longer pattern, description_filter, labels or select
   *  of get_result is refused. */
  readonly maxQueryChars: number;
  /** _meta in tools/list for Claude Code: shows filter_tools, describe_tool and call_tool at once, and takes
   *  long pages of get_result. */
  readonly clientHints: boolean;
}
