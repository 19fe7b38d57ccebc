import { escapeUnprintable, isObject, nearest } from 'pegboard';
import type { JsonObject, JsonSchema } from 'pegboard';
import { meantArgument } from '../../kit/calls/meantArgument.ts';
import { isOfType, typeOf, wantedTypes } from '../../kit/calls/wantedTypes.ts';

export interface ArgumentFaults {
  /** One sentence for each, without a full stop. */
  readonly sentences: readonly string[];
  /** The properties of the schema that they are about. */
  readonly keys: readonly string[];
}

const MAX_FAULTS = 6;
const MAX_SHOWN_CHARS = 60;
/** The value of such an argument is not repeated. */
const MAY_BE_SECRET = /pass|pwd|secret|token|key|credential|auth|cookie|dsn|otp/i;

/** What does not fit the schema of a tool, at the top of its arguments; servers check the rest, and may check all. */
export function argumentFaults(args: JsonObject, schema: JsonSchema): ArgumentFaults {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : [];
  const declared = Object.keys(properties);
  const missing = required.filter(
    (key): key is string => typeof key === 'string' && !Object.hasOwn(args, key),
  );
  const sentences: string[] = [];
  const keys: string[] = [];
  const free = declared.filter((key) => !Object.hasOwn(args, key));
  for (const [key, value] of Object.entries(args)) {
    if (sentences.length >= MAX_FAULTS) break;
    if (Object.hasOwn(properties, key)) {
      const fault = misfit(key, value, properties[key]);
      if (fault === undefined) continue;
      sentences.push(fault);
      keys.push(key);
    } else if (declared.length > 0) {
      const [meant] = meantBy(key, value, { free, missing });
      if (meant !== undefined) keys.push(meant);
      else if (schema['additionalProperties'] !== false && missing.length === 0) continue;
      const isWrapped =
        meant === undefined && isObject(value) && Object.keys(value).some((one) => declared.includes(one));
      const fix = isWrapped ? '; give its members without it' : '';
      sentences.push(
        `${quoted(key)} is not an argument of this tool${meant === undefined ? fix : `; did you mean ${quoted(meant)}?`}`,
      );
    }
  }
  for (const key of missing) if (!keys.includes(key)) sentences.push(`${quoted(key)} is missing`);
  return { sentences: sentences.slice(0, MAX_FAULTS), keys: [...new Set([...keys, ...missing])] };
}

/** The argument that an unknown one may be meant to be: one that looks alike, has another name of it, or is the only one missing. */
function meantBy(
  key: string,
  value: unknown,
  { free, missing }: { readonly free: readonly string[]; readonly missing: readonly string[] },
): readonly string[] {
  const near = nearest(key, free, 1);
  if (near.length > 0) return near;
  const other = meantArgument(key, free);
  if (other !== undefined) return [other];
  return missing.length === 1 && !isObject(value) ? missing : [];
}

function misfit(key: string, value: unknown, schema: unknown): string | undefined {
  if (!isObject(schema)) return undefined;
  const types = wantedTypes(schema);
  if (types.length > 0 && !types.some((type) => isOfType(type, value)))
    return `${quoted(key)} is ${shown(key, value)}, and the tool takes ${types.map(withArticle).join(' or ')}`;
  const { enum: values } = schema;
  if (!Array.isArray(values) || values.includes(value) || typeof value === 'object') return undefined;
  return `${quoted(key)} is ${shown(key, value)}, which is not one of its values`;
}

function shown(key: string, value: unknown): string {
  const type = withArticle(typeOf(value));
  if (typeof value === 'object' || MAY_BE_SECRET.test(key)) return type;
  return `${quoted(value)}, ${type}`;
}

function quoted(value: unknown): string {
  const text = JSON.stringify(
    typeof value === 'string' && value.length > MAX_SHOWN_CHARS
      ? `${value.slice(0, MAX_SHOWN_CHARS)}…`
      : value,
  );
  return escapeUnprintable(text);
}

function withArticle(type: string): string {
  if (type === 'null') return type;
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`;
}
