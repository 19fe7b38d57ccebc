// Generated from schemas/config/workflow.schema.json by npm run tables.
export interface WorkflowConfig {
  /** How many workflows may call one another in a chain. */
  readonly maxDepth: number;
  /** How many steps of a parallel group or iterations of a loop run at the same time at most. */
  readonly maxParallel: number;
  /** Most items a forEach step takes; its own maxItems may lower it. */
  readonly maxItems: number;
  /** Most runs under way at the same time; further ones are refused. */
  readonly maxRuns: number;
  /** How long a run may take in all, in ms. A definition overrides it with timeout. */
  readonly runTimeoutMs: number;
  /** How long the steps of onFailure and finally may take together, in ms. */
  readonly cleanupTimeoutMs: number;
  /** How long the record of a run is kept, in ms. */
  readonly executionMaxAgeMs: number;
  /** How many records of runs are kept; with more, the owner of the most loses the oldest. */
  readonly executionMaxCount: number;
  /** How often records over age or count are looked for, in ms. */
  readonly executionSweepMs: number;
  /** Least time between two writes of the record of a run under way, in ms; a kill -9 loses no more than that
   *  of it. */
  readonly executionWriteMs: number;
  /** Largest record of a run; beyond it, inputs and results over executionMaxFieldBytes are left out. */
  readonly executionMaxBytes: number;
  /** Largest input or result kept in a record that is over executionMaxBytes. */
  readonly executionMaxFieldBytes: number;
  /** Who may list, read and cancel a run: its owner (the signed-in caller, without sign-in the session), or
   *  every caller. With operators only its owner, and the admin pages show operators its inputs and results. */
  readonly executionVisibility: 'owner' | 'operators' | 'all';
  /** lenient lets whole JSON numbers print and compare as integers; strict treats them as Go does. */
  readonly templateNumbers: 'lenient' | 'strict';
  /** IANA name of the zone that dates in templates use. */
  readonly templateTimeZone: string;
  /** Template functions to allow although they are denied by default: env, expandenv, getHostByName, and those
   *  that make keys and passwords. */
  readonly templateFunctions: readonly string[];
  /** How many parsed templates are kept. */
  readonly templateCacheEntries: number;
  /** Longest template. */
  readonly templateMaxSourceBytes: number;
  /** How deep actions and parentheses of a template may nest. */
  readonly templateMaxNesting: number;
  /** Largest text that a template makes. */
  readonly templateMaxOutputBytes: number;
  /** Largest text that one function of a template makes. */
  readonly templateMaxStringBytes: number;
  /** Longest list that one function of a template makes. */
  readonly templateMaxListItems: number;
  /** How deep templates may call one another. */
  readonly templateMaxCallDepth: number;
  /** How deep a value may nest that a template prints or copies. */
  readonly templateMaxValueDepth: number;
  /** How many steps of evaluation one rendering may take. */
  readonly templateMaxNodes: number;
  /** How long one rendering may take, in ms. */
  readonly templateMaxTimeMs: number;
  /** Longest regular expression, in instructions of its program. */
  readonly templateMaxRegexInstructions: number;
  /** Longest text that a regular expression is matched against. */
  readonly templateMaxRegexInputBytes: number;
  /** How many steps matching one regular expression may take. */
  readonly templateMaxRegexSteps: number;
}
