/** Something wrong with a value: `path` is below the spec, or below the configuration of a plugin. */
export interface Finding {
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly severity?: 'error' | 'warning';
}
/** So many are told of one file or value; more help nobody. */
export const MAX_FAULTS = 100;
