/** Limits against runaway templates. Sizes are in bytes unless the name says otherwise. */
export interface Limits {
  /** The text of a template. */
  readonly maxSourceBytes: number;
  /** Levels of parentheses, actions and `else if` in it. */
  readonly maxNesting: number;
  /** Steps of evaluation, and work that is worth as much. */
  readonly maxNodes: number;
  /** What a template prints. */
  readonly maxOutputBytes: number;
  /** A text that one function makes. */
  readonly maxStringBytes: number;
  /** A list that one function makes. */
  readonly maxListItems: number;
  /** Templates that call one another. */
  readonly maxTemplateDepth: number;
  /** Levels of a value that is printed, encoded, compared, merged or decoded. */
  readonly maxValueDepth: number;
  /** Time of an execution. */
  readonly maxTimeMs: number;
  /** A compiled regular expression. */
  readonly maxRegexInstructions: number;
  /** The text that it is matched against. */
  readonly maxRegexInputBytes: number;
  /** The product of both. */
  readonly maxRegexSteps: number;
}

/** The limits of a template without `limits` in its options. */
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
