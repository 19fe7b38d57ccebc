/** Limits against runaway templates. Sizes are in bytes unless the name says otherwise. */
export interface Limits {
  readonly maxSourceBytes: number;
  readonly maxNesting: number;
  readonly maxNodes: number;
  readonly maxOutputBytes: number;
  readonly maxStringBytes: number;
  readonly maxListItems: number;
  readonly maxTemplateDepth: number;
  readonly maxValueDepth: number;
  readonly maxTimeMs: number;
  readonly maxRegexInstructions: number;
  readonly maxRegexInputBytes: number;
  readonly maxRegexSteps: number;
}

export const DEFAULT_LIMITS: Limits = {
  maxSourceBytes: 64 * 1024,
  maxNesting: 200,
  maxNodes: 1_000_000,
  maxOutputBytes: 1024 * 1024,
  maxStringBytes: 1024 * 1024,
  maxListItems: 100_000,
  maxTemplateDepth: 256,
  maxValueDepth: 1000,
  maxTimeMs: 500,
  maxRegexInstructions: 10_000,
  maxRegexInputBytes: 1024 * 1024,
  maxRegexSteps: 50_000_000,
};
