/** One sentence of the interface, and the tests that cover it or the later work that will. */
export type Requirement = Covered | Later;

export interface Covered {
  readonly id: string;
  readonly sentence: string;
  /** `<path below test/, without .test.ts>: <name of the test as written in its source>` */
  readonly tests: readonly [string, ...string[]];
}
export interface Later {
  readonly id: string;
  readonly sentence: string;
  readonly later: string;
}
