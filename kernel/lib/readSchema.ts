import { readFileSync } from 'node:fs';
import { isObject } from './json.ts';
import { packageFile } from './packageFile.ts';

type Schema = Readonly<Record<string, unknown>>;

/** The property that holds a schema's name; copies of the schema do not have it. */
export const SCHEMA_NAME = Symbol('schema name');

/** Reads `schemas/<name>.schema.json` of this package. @param name for example `config/http` */
export function readSchema(name: string): Schema {
  const text = readFileSync(packageFile(`schemas/${name}.schema.json`), 'utf8');
  const schema = JSON.parse(text, (_key, value: unknown) => withShared(value)) as Schema;
  return Object.defineProperty(schema, SCHEMA_NAME, { value: name });
}

/** What schemas share is in a file of its own, `{ "$ref": "../tls.schema.json" }`; what stands beside the reference comes first. */
function withShared(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { $ref, ...own } = value;
  const [, name] = /^(?:\.\.\/)?(\w+)\.schema\.json$/.exec(String($ref)) ?? [];
  return name === undefined ? value : { ...readSchema(name), ...own };
}
