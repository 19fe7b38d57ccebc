import { HIDDEN, hideInUrl, isObject, readSchema } from 'pegboard';
import type { JsonObject, JsonSchema, Settings } from 'pegboard';

const ROOT = readSchema('config');
const SECRET = /(password|passphrase|secret|token|credentials?|keys?|authorization|cookie|env|headers)$/i;
const REFERENCE = /^(\$\{(env|file):[^${}]+\})+$/;

/** The settings as results show them: keys that the schema names are capitalised, names that operators chose stay,
 *  secrets are redacted. Source: requirement config.get. */
export function showSettings(settings: Settings): JsonObject {
  return show(settings, ROOT, false) as JsonObject;
}

/** One value of the settings as results show it. */
export function showValue(path: readonly string[], value: unknown): unknown {
  return show(
    value,
    {},
    path.some((key) => SECRET.test(key)),
  );
}

function show(value: unknown, schema: JsonSchema, isSecret: boolean): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => show(item, {}, isSecret));
  if (!isObject(value)) return isSecret ? redact(value) : withoutCredentials(value);
  const known = (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
  const rest = isObject(schema['additionalProperties']) ? schema['additionalProperties'] : {};
  const entries = Object.entries(value).map(([key, item]) => {
    const below = known[key];
    return [
      below === undefined ? key : capitalise(key),
      show(item, below ?? rest, isSecret || SECRET.test(key)),
    ];
  });
  return Object.fromEntries(entries) as JsonObject;
}

/** Numbers can be secrets too; true and false cannot. */
function redact(value: unknown): unknown {
  if (value === null || typeof value === 'boolean') return value;
  return typeof value === 'string' && REFERENCE.test(value) ? value : HIDDEN;
}

/** Removes the credentials of a url such as redis://user:password@host. */
function withoutCredentials(value: unknown): unknown {
  return typeof value === 'string' && /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? hideInUrl(value) : value;
}

export function capitalise(key: string): string {
  return key.charAt(0).toUpperCase() + key.slice(1);
}
