/** One thing a hostile or unlucky peer does: which tests hold what must come of it, or why none does yet. */
export type HostileCase = Held | Open;

export interface Held {
  /** `case 14` as conformance numbers it, `U17` as users' demands are numbered. */
  readonly id: `case ${number}` | `U${number}`;
  readonly what: string;
  /** `<path below test/, without .test.ts>: <name of the test as it stands in its source>` */
  readonly tests: readonly [string, ...string[]];
  /** What of it is not held, in a few words. */
  readonly but?: string;
}
export interface Open {
  readonly id: Held['id'];
  readonly what: string;
  readonly open: string;
}
