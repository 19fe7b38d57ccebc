import { readFileSync } from 'node:fs';
import { packageFile } from './packageFile.ts';

/** Reads `schemas/<name>.schema.json` of this package. @param name for example `config/http` */
export function readSchema(name: string): { readonly [key: string]: unknown } {
  const text = readFileSync(packageFile(`schemas/${name}.schema.json`), 'utf8');
  return JSON.parse(text) as { readonly [key: string]: unknown };
}
