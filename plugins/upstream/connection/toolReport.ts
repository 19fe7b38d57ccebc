/** Which tools of one server are offered, which are left out, and which of its entries are not as it declared them. */
export interface ToolReport {
  /** Tools that are offered, alone or with the server's family. */
  readonly count: number;
  /** Their names. */
  readonly names: () => readonly string[];
  /** Tools left out by includeTools or excludeTools. */
  readonly excluded: number;
  /** Malformed tools, each with its fault. */
  readonly malformed: readonly string[];
  /** Exposed names that another server has, or that the server lists twice. */
  readonly collisions: readonly string[];
  /** Which parts of its lists were not read, of resources and prompts too. */
  readonly partialLists: readonly string[];
  /** Resources, resource templates and prompts that are left out, and entries of any list without their malformed members, each
   *  with its faults. */
  readonly odd: readonly string[];
  /** Resources, resource templates and prompts whose name another server has; looks at all of them. */
  readonly takenEntries: () => readonly string[];
}
