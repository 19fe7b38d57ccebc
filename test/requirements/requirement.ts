/** One sentence of the interface: which tests hold it, or which later work brings it. */
export type Requirement = Covered | Later;

export interface Covered {
  readonly id: string;
  readonly sentence: string;
  /** `<path below test/, without .test.ts>: <name of the test as it stands in its source>` */
  readonly tests: readonly [string, ...string[]];
}
export interface Later {
  readonly id: string;
  readonly sentence: string;
  readonly later: string;
}
