import { isObject, readSchema } from 'pegboard';
import { hideInUrl, hideMarked } from 'pegboard/kit';
import type { ConfigControl, JsonObject, JsonSchema } from 'pegboard';
import { isOfSections, pluginSchemas, propertiesOf } from './pluginSchemas.ts';

const ROOT = readSchema('config');

/** The settings as results show them: keys that the schema names are capitalised, names that operators chose stay,
 *  secrets are redacted. Source: requirement config.get. */
export function showSettings(control: ConfigControl): JsonObject {
  return capitalised(hideSettings(control.settings(), control), ROOT) as JsonObject;
}

/** A copy without the secrets that any schema marks, and without the credentials of urls. */
export function hideSettings(
  settings: JsonObject,
  control: Pick<ConfigControl, 'configSchemas'>,
): JsonObject {
  const schemas = Object.entries({ ...pluginSchemas(), ...control.configSchemas() });
  const sections = schemas.map(([, schema]) => schema).filter(isOfSections);
  const ofPlugins = schemas.map(([name, config]) => [name, { properties: { config } }]);
  const plugins = { properties: Object.fromEntries(ofPlugins) as JsonSchema };
  const hidden = hideMarked({ allOf: [ROOT, ...sections, { properties: { plugins } }] }, settings);
  return withoutCredentials(hidden) as JsonObject;
}

/** Replaces the credentials of each url such as redis://user:password@host. */
function withoutCredentials(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutCredentials);
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withoutCredentials(part)]));
  return typeof value === 'string' && /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? hideInUrl(value) : value;
}

function capitalised(value: unknown, schema: JsonSchema): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => capitalised(item, {}));
  if (!isObject(value)) return value;
  const known = propertiesOf(schema);
  const rest = isObject(schema['additionalProperties']) ? schema['additionalProperties'] : {};
  const entries = Object.entries(value).map(([key, item]) => {
    const below = known[key];
    return [below === undefined ? key : capitalise(key), capitalised(item, below ?? rest)];
  });
  return Object.fromEntries(entries) as JsonObject;
}

export function capitalise(key: string): string {
  return key.charAt(0).toUpperCase() + key.slice(1);
}
