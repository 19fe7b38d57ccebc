/** Something that happened, told to onEvent taps. The table of types is in kernel/README.md; a plugin adds its own.
 *  `type` is `noun.pastTense`. */
export interface KernelEvent {
  readonly type: `${string}.${string}`;
  readonly [detail: string]: unknown;
}
