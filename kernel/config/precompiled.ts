import type { ValidateFunction } from 'ajv';

/** Validators of Pegboard's own schemas, by the name that readSchema sets. Empty in the sources and filled in the bundle,
 *  because compiling them takes a quarter of a start (D89). */
export const PRECOMPILED: Readonly<Record<string, ValidateFunction>> = {};
