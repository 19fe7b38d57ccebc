/** Something wrong with a value: `path` is below the spec, or below the configuration of a plugin. */
export interface Finding {
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly severity?: 'error' | 'warning';
}
