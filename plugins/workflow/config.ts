/** `plugins.workflow.config`; meanings and defaults are in schemas/config/workflow.schema.json. */
export interface WorkflowConfig {
  readonly maxDepth: number;
  readonly maxParallel: number;
  readonly maxItems: number;
  readonly maxRuns: number;
  readonly runTimeoutMs: number;
  readonly cleanupTimeoutMs: number;
  readonly executionMaxAgeMs: number;
  readonly executionMaxCount: number;
  readonly executionSweepMs: number;
  readonly executionWriteMs: number;
  readonly executionMaxBytes: number;
  readonly executionMaxFieldBytes: number;
  readonly executionVisibility: 'owner' | 'all';
  readonly templateNumbers: 'lenient' | 'strict';
  readonly templateTimeZone: string;
  readonly templateFunctions: readonly string[];
  readonly templateCacheEntries: number;
  readonly templateMaxSourceBytes: number;
  readonly templateMaxNesting: number;
  readonly templateMaxOutputBytes: number;
  readonly templateMaxStringBytes: number;
  readonly templateMaxListItems: number;
  readonly templateMaxCallDepth: number;
  readonly templateMaxValueDepth: number;
  readonly templateMaxNodes: number;
  readonly templateMaxTimeMs: number;
  readonly templateMaxRegexInstructions: number;
  readonly templateMaxRegexInputBytes: number;
  readonly templateMaxRegexSteps: number;
}
