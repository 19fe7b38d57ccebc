import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ConfigControl, entryOf, isObject, readSchema, readYaml } from 'pegboard';
import type { JsonObject, JsonSchema, Scope, Settings, YamlSource } from 'pegboard';
import type { ConfigOrigins, ConfigSource, ConfigValue } from '../contracts/settings.ts';
import type { Edits } from './edits.ts';
import { isOfSections, pluginSchemas, propertiesOf } from './pluginSchemas.ts';
import { hideSettings } from './show.ts';

type Path = readonly string[];
type Schemas = Readonly<Record<string, JsonSchema>>;
const ROOT = readSchema('config');

/** Compares what is in force with config.yaml, the unsaved edits and the schemas' defaults. */
export function configOrigins(scope: Scope<unknown>, edits: Edits): ConfigOrigins {
  return {
    read: async () => {
      const control = scope.get(ConfigControl);
      const plugins = pluginSchemas();
      const settings = control.settings();
      const inForce = withDefaults(settings, settings, plugins);
      const shown = hideSettings(inForce, control);
      const defaults = withDefaults(filled(ROOT, {}) as Settings, settings, plugins);
      const written = await readSettings(join(control.directory, 'config.yaml'));
      const unsaved = { aggregator: edits.unsaved() };
      return leaves(inForce, []).map(([path, value]): ConfigValue => {
        const isWritten = valueAt(written.value, path) !== undefined;
        const has = (tree: unknown): boolean => isDeepStrictEqual(valueAt(tree, path), value);
        const source = sourceOf({
          isUnsaved: has(unsaved),
          isInFile: has(written.value),
          isWritten,
          isDefault: has(defaults),
        });
        return {
          path,
          value: source === 'default' ? value : valueAt(shown, path),
          source,
          ...(isWritten && { place: written.locate(path) }),
        };
      });
    },
  };
}

interface Found {
  readonly isUnsaved: boolean;
  /** Whether config.yaml has this value. */
  readonly isInFile: boolean;
  /** Whether config.yaml has any value for the keys. */
  readonly isWritten: boolean;
  readonly isDefault: boolean;
}

function sourceOf({ isUnsaved, isInFile, isWritten, isDefault }: Found): ConfigSource {
  if (isInFile) return 'file';
  if (isUnsaved) return 'unsaved';
  return isDefault && !isWritten ? 'default' : 'other';
}

/** Settings with the defaults of the plugins, except those that are only switched on or off. */
function withDefaults(settings: Settings, inForce: Settings, plugins: Schemas): JsonObject {
  let all: Settings = settings;
  for (const [name, schema] of Object.entries(plugins)) {
    if (typeof inForce.plugins[name] === 'boolean') continue;
    if (isOfSections(schema)) all = filled(schema, all) as Settings;
    else {
      const config = filled(withoutCopied(schema), entryOf(settings, name).config ?? {}) as JsonObject;
      const entry = { ...entryOf(settings, name), config };
      if (Object.keys(config).length > 0) all = { ...all, plugins: { ...all.plugins, [name]: entry } };
    }
  }
  return all;
}

/** Some plugins have copies of keys of the aggregator section. */
function withoutCopied(schema: JsonSchema): JsonSchema {
  const copied = propertiesOf(propertiesOf(ROOT)['aggregator'] ?? {});
  const own = Object.entries(propertiesOf(schema)).filter(([key]) => !(key in copied));
  return { ...schema, properties: Object.fromEntries(own) };
}

/** A copy with defaults. The validator fills them in too, but refuses a value that lacks required keys. */
function filled(schema: JsonSchema, value: unknown): unknown {
  if (!isObject(value)) return value;
  const all: Record<string, unknown> = { ...value };
  for (const [key, below] of Object.entries(propertiesOf(schema))) {
    const given = all[key] ?? below['default'];
    if (given !== undefined) all[key] = filled(below, given);
  }
  return all;
}

/** A missing file counts as empty, as in the pipeline, which reports one that cannot be read. */
async function readSettings(file: string): Promise<YamlSource> {
  return readYaml(await readFile(file, 'utf8').catch(() => ''), file);
}

function leaves(value: unknown, path: Path): readonly (readonly [Path, unknown])[] {
  if (!isObject(value) || (Object.keys(value).length === 0 && path.length > 0)) return [[path, value]];
  return Object.entries(value).flatMap(([key, below]) => leaves(below, [...path, key]));
}

function valueAt(tree: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    tree,
  );
}
