import { readdirSync } from 'node:fs';
import { packageFile, readSchema } from 'pegboard';
import type { JsonSchema } from 'pegboard';

type Schemas = Readonly<Record<string, JsonSchema>>;

const SECTIONS = propertiesOf(readSchema('config'));
const ENDING = '.schema.json';

/** The schemas of the built-in plugins, by name. */
export function pluginSchemas(): Schemas {
  const files = readdirSync(packageFile('schemas/config')).filter((file) => file.endsWith(ENDING));
  const names = files.map((file) => file.slice(0, -ENDING.length));
  return Object.fromEntries(names.map((name) => [name, readSchema(`config/${name}`)]));
}

/** Whether the plugin's keys are in sections of config.yaml, instead of below plugins.<name>.config. */
export function isOfSections(schema: JsonSchema): boolean {
  return Object.keys(propertiesOf(schema)).every((key) => key in SECTIONS);
}

export function propertiesOf(schema: JsonSchema): Schemas {
  return (schema['properties'] ?? {}) as Schemas;
}
