// Generated from schemas/config/search-learned.schema.json by npm run tables.
export interface SearchLearnedConfig {
  /** Calls after such searches from which a tool is put forward. Of one client a call counts once an hour. */
  readonly minCalls: number;
  /** How long after a search a call counts as its outcome. */
  readonly windowMs: number;
  /** Searches that are remembered, in memory and in the vault; beyond it the longest unused is forgotten. */
  readonly maxSearches: number;
  /** How long a search is remembered in the vault after its last call. */
  readonly keepSeconds: number;
}
