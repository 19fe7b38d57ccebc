/** What became of the tools that one server lists. */
export interface ToolReport {
  /** Offered, alone or with its family. */
  readonly count: number;
  /** Left out by the lists of the definition. */
  readonly excluded: number;
  /** Each with its fault. */
  readonly malformed: readonly string[];
  /** Exposed names that another server has, or that it lists twice. */
  readonly collisions: readonly string[];
}
