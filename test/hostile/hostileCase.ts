/** One thing a hostile or unlucky peer does, and the tests that cover it or the reason why none does yet. */
export type HostileCase = Held | Open;

export interface Held {
  /** `case 14` as conformance numbers it, `U17` as users' demands are numbered, `T93` as attacks on sign-ins are, `C1`,
   *  `M1` and `L1` as those on authority by their weight. */
  readonly id: `case ${number}` | `${'U' | 'T' | 'C' | 'M' | 'L'}${number}`;
  readonly what: string;
  /** `<path below test/, without .test.ts>: <name of the test as written in its source>` */
  readonly tests: readonly [string, ...string[]];
  /** The part that is not covered, in a few words. */
  readonly but?: string;
}
export interface Open {
  readonly id: Held['id'];
  readonly what: string;
  readonly open: string;
}
