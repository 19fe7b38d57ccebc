import { readdirSync } from 'node:fs';
import { isObject, packageFile, readSchema } from '../../kernel/index.ts';
import type { JsonObject } from '../../kernel/index.ts';

const SCHEMAS = packageFile('schemas/');
/** A key that a plugin takes from elsewhere in config.yaml. */
const BORROWED = /^Taken from /;
type Schemas = Readonly<Record<string, JsonObject>>;

/** The schema of the chart's values with `$defs` written anew: `config` is all of config.yaml, with the keys of all plugins. */
export function chartValues(schema: JsonObject): JsonObject {
  const root = readJson('config.schema.json');
  let properties = root['properties'] as Schemas;
  const entries: Record<string, JsonObject> = {};
  const definitions: Record<string, unknown> = {};
  for (const file of readdirSync(new URL('config/', SCHEMAS)).sort()) {
    const name = file.replace('.schema.json', '');
    const { $defs = {}, ...plugin } = prefixed(readJson(`config/${file}`), name) as JsonObject;
    for (const [key, value] of Object.entries($defs as Schemas)) definitions[`${name}.${key}`] = value;
    const keys = Object.entries((plugin['properties'] ?? {}) as Schemas);
    const isBorrowed = ([, { description }]: readonly [string, JsonObject]): boolean =>
      BORROWED.test(String(description));
    for (const [key, value] of keys.filter(isBorrowed)) {
      const known = properties[key];
      if (known !== undefined) properties = { ...properties, [key]: joined(known, value) };
    }
    entries[name] = entryOf(name, Object.fromEntries(keys.filter((one) => !isBorrowed(one))));
  }
  const { additionalProperties: entry, ...plugins } = properties['plugins'] as JsonObject & {
    additionalProperties: JsonObject;
  };
  // A name that is not a plugin of Pegboard needs a module, so that a typing error is found.
  const foreign = { ...entry, type: 'object', required: ['module'] };
  const all = { ...plugins, properties: entries, additionalProperties: foreign };
  const config = {
    description: 'All of config.yaml, over what the chart sets.',
    type: 'object',
    additionalProperties: false,
    properties: { ...properties, plugins: all },
  };
  return { ...schema, $defs: { config, ...definitions } };
}

/** What `plugins.<name>` may be. */
function entryOf(name: string, own: Schemas): JsonObject {
  const config = { type: 'object', additionalProperties: false, properties: own };
  return {
    description: `Plugin ${name}`,
    type: ['boolean', 'object'],
    additionalProperties: false,
    properties: { config },
  };
}

/** Keys of both; where one of them only refers to another place, the other one counts. */
function joined(one: JsonObject, other: JsonObject): JsonObject {
  const [a, b] = [one['properties'], other['properties']] as readonly (Schemas | undefined)[];
  if (b === undefined) {
    const hasMore = 'additionalProperties' in other || 'items' in other;
    const isReference = /^(Taken from|Read by) /.test(String(other['description']));
    return hasMore || !isReference ? { ...other, description: one['description'] } : one;
  }
  const properties = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const known = properties[key];
    properties[key] = known === undefined ? value : joined(known, value);
  }
  return { ...one, additionalProperties: false, properties };
}

/** The definitions of a plugin have its name before their own. */
function prefixed(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((one) => prefixed(one, name));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, one]) =>
    key === '$ref' && typeof one === 'string'
      ? ([key, one.replace('#/$defs/', `#/$defs/${name}.`)] as const)
      : ([key, prefixed(one, name)] as const),
  );
  return Object.fromEntries(entries);
}

function readJson(file: string): JsonObject {
  return readSchema(file.replace('.schema.json', ''));
}
