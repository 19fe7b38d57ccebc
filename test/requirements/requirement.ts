/** One sentence of the interface, and the tests that cover it. */
export interface Requirement {
  readonly id: string;
  readonly sentence: string;
  /** `<path below test/, without .test.ts>: <name of the test as written in its source>` */
  readonly tests: readonly [string, ...string[]];
}
