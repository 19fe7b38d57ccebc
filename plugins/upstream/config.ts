import type { Topic } from './definition.ts';

/** `plugins.upstream.config`; meanings and defaults stand in schemas/config/upstream.schema.json. */
export interface UpstreamConfig {
  readonly servicePrefix: string;
  readonly inheritEnv: readonly string[];
  readonly callTimeoutMs: number;
  readonly callMaxMs: number;
  readonly deadlineTickMs: number;
  readonly maxMessageBytes: number;
  readonly maxQueuedBytes: number;
  readonly maxUnaskedPerSecond: number;
  readonly unaskedSliceMs: number;
  readonly floodMs: number;
  readonly stdinGraceMs: number;
  readonly termGraceMs: number;
  readonly drainMs: number;
  readonly backoffFirstMs: number;
  readonly backoffMaxMs: number;
  readonly maxRetryAfterMs: number;
  readonly healthyAfterMs: number;
  readonly retryWaitMs: number;
  readonly unreachableAfter: number;
  readonly pingIntervalMs: number;
  readonly listDebounceMs: number;
  readonly maxListDebounceMs: number;
  readonly relistMs: number;
  readonly maxListPages: number;
  readonly maxListItems: number;
  readonly closeTimeoutMs: number;
  readonly resumeMs: number;
  readonly minResumeMs: number;
  readonly maxResumeMs: number;
  readonly maxResumes: number;
  readonly maxConnections: number;
  readonly maxNameChars: number;
  readonly maxUriChars: number;
  readonly maxTombstones: number;
  readonly maxLogLineChars: number;
  readonly maxLogLinesPerSecond: number;
  readonly stderrTailLines: number;
  readonly questions: readonly Topic[];
  readonly questionTimeoutMs: number;
  readonly maxQuestionBytes: number;
  readonly maxUrlElicitations: number;
  readonly lateMs: number;
  readonly maxLateCalls: number;
}
