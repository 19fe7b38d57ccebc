import type { ValidateFunction } from 'ajv';

/** Validators of our own schemas by the name that readSchema knows. Empty here: the bundle fills it, because compiling them takes
 *  a quarter of a start (D89). */
export const PRECOMPILED: Readonly<Record<string, ValidateFunction>> = {};
