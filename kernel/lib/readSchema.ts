import { readFileSync } from 'node:fs';
import { packageFile } from './packageFile.ts';

/** The property that holds a schema's name; copies of the schema do not have it. */
export const SCHEMA_NAME = Symbol('schema name');

/** Reads `schemas/<name>.schema.json` of this package. @param name for example `config/http` */
export function readSchema(name: string): { readonly [key: string]: unknown } {
  const text = readFileSync(packageFile(`schemas/${name}.schema.json`), 'utf8');
  const schema = JSON.parse(text) as { readonly [key: string]: unknown };
  return Object.defineProperty(schema, SCHEMA_NAME, { value: name });
}
