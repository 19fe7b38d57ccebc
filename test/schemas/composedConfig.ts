import { existsSync, readdirSync } from 'node:fs';
import { isObject, packageFile, readSchema } from '../../kernel/index.ts';
import type { JsonObject } from '../../kernel/index.ts';

/** A key that a plugin takes from elsewhere in config.yaml. */
const BORROWED = /^(Taken from|Read by) /;
type Schemas = Readonly<Record<string, JsonObject>>;

/** The schema of all of config.yaml: the kernel's keys, and those of each plugin where it reads them. */
export interface ComposedConfig {
  readonly config: JsonObject;
  /** The plugins' own definitions, by `<plugin>.<name>`. */
  readonly definitions: Schemas;
}

/** A name below `plugins` that is not one of Pegboard needs a module, so that a typing error is found. */
export function composedConfig(): ComposedConfig {
  const root = readSchema('config');
  let properties = root['properties'] as Schemas;
  const entries: Record<string, JsonObject> = {};
  const definitions: Record<string, JsonObject> = {};
  for (const name of pluginNames()) {
    const { $defs = {}, ...plugin } = prefixed(schemaOf(name), name) as JsonObject;
    for (const [key, value] of Object.entries($defs as Schemas)) definitions[`${name}.${key}`] = value;
    const keys = Object.entries((plugin['properties'] ?? {}) as Schemas);
    for (const [key, value] of keys.filter(isBorrowed)) {
      const known = properties[key];
      if (known !== undefined) properties = { ...properties, [key]: joined(known, value) };
    }
    entries[name] = entryOf(name, Object.fromEntries(keys.filter((one) => !isBorrowed(one))));
  }
  const { additionalProperties: entry, ...plugins } = properties['plugins'] as JsonObject & {
    additionalProperties: JsonObject;
  };
  const foreign = {
    title: 'a plugin of a third party, with its module',
    ...entry,
    type: 'object',
    required: ['module'],
  };
  const all = { ...plugins, properties: entries, additionalProperties: foreign };
  const config = {
    description: String(root['description']),
    type: 'object',
    additionalProperties: false,
    properties: { ...properties, plugins: all },
  };
  return { config, definitions };
}

function pluginNames(): readonly string[] {
  const folder = new URL('../plugins/', packageFile('schemas/'));
  const names = readdirSync(folder).filter((name) => existsSync(new URL(`${name}/index.ts`, folder)));
  return names.filter((name) => name !== 'kit').sort();
}

/** That of a plugin without settings has no file of its own. */
function schemaOf(name: string): JsonObject {
  return readSchema(
    existsSync(packageFile(`schemas/config/${name}.schema.json`)) ? `config/${name}` : 'nothing',
  );
}

function isBorrowed([, schema]: readonly [string, JsonObject]): boolean {
  return isReference(schema);
}

function isReference({ description }: JsonObject): boolean {
  return BORROWED.test(String(description));
}

/** What `plugins.<name>` may be. */
function entryOf(name: string, own: Schemas): JsonObject {
  const config = {
    description: `The keys of ${name}.`,
    type: 'object',
    additionalProperties: false,
    properties: own,
  };
  return {
    description: `Plugin ${name}: false switches it off, true on.`,
    type: ['boolean', 'object'],
    additionalProperties: false,
    properties: { config },
  };
}

/** Both say something of one key: of a key that one of them only takes from the other place, that place says what it may be. */
function joined(one: JsonObject, other: JsonObject): JsonObject {
  if (isReference(other) && !hasShape(other)) return one;
  const { description } = isReference(one) ? other : one;
  if (isReference(one) && !hasShape(one)) return { ...other, description };
  const required = [
    ...new Set([one, other].flatMap((schema) => (schema['required'] ?? []) as readonly string[])),
  ];
  const { default: fallback, ...others } = other;
  return {
    ...(fallback !== undefined && !isReference(other) && !hasShape(one) && { default: fallback }),
    ...others,
    ...one,
    ...(required.length > 0 && { required }),
    ...joinedParts(one, other),
    description,
  };
}

function joinedParts(one: JsonObject, other: JsonObject): JsonObject {
  const [a, b] = [one['properties'], other['properties']] as readonly (Schemas | undefined)[];
  const parts = ['items', 'additionalProperties'].flatMap((keyword) => {
    const [mine, theirs] = [one[keyword], other[keyword]];
    if (!isObject(theirs)) return [];
    return [[keyword, isObject(mine) && hasShape(mine) ? joined(mine, theirs) : theirs] as const];
  });
  if (a === undefined && b === undefined) return Object.fromEntries(parts);
  const properties: Record<string, JsonObject> = { ...a };
  for (const [key, value] of Object.entries(b ?? {})) {
    const known = properties[key];
    properties[key] = known === undefined ? value : joined(known, value);
  }
  return { additionalProperties: false, ...Object.fromEntries(parts), properties };
}

/** Whether the schema says more than a type. */
function hasShape(schema: JsonObject): boolean {
  return (
    ['properties', 'items', '$ref'].some((keyword) => keyword in schema) ||
    isObject(schema['additionalProperties'])
  );
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
