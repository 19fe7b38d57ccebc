import { readFileSync } from 'node:fs';

/** Reads `schemas/<name>.schema.json` of this package. @param name for example `config/http` */
export function readSchema(name: string): { readonly [key: string]: unknown } {
  const file = new URL(`../../../schemas/${name}.schema.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as { readonly [key: string]: unknown };
}
