import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import type { JsonObject, JsonSchema } from '../contracts/json.ts';
import type { Finding } from '../contracts/finding.ts';
import { GatewayError, messageOf } from '../errors.ts';
import { isMarked } from '../lib/markedSecrets.ts';
import { nearest } from '../lib/nearest.ts';
import { once } from '../lib/once.ts';
import { SCHEMA_NAME } from '../lib/readSchema.ts';
import { AJV_OPTIONS } from './ajvOptions.ts';
import { PRECOMPILED } from './precompiled.ts';

/** Made for the first schema that is not compiled already: most commands meet none, and it takes 5% of their start. */
const ajv = once(() => new Ajv2020(AJV_OPTIONS));

/** @returns why the schema does not compile, or undefined */
export function isValidSchema(schema: JsonSchema): string | undefined {
  try {
    if (ajv().validateSchema(schema) !== true) return ajv().errorsText(ajv().errors);
    ajv().compile(schema);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

type Checked = { value: unknown; findings: readonly Finding[] };

/** Validates a copy of `value` and fills in defaults. Only for schemas of Pegboard and plugins, never an upstream's (D18).
 *  @returns the completed copy, and findings that a person can act on */
export function validate(schema: JsonSchema, value: unknown): Checked {
  const copy = structuredClone(value);
  return { value: copy, findings: findingsIn(schema, copy) };
}

/** More findings on one value do not help. */
const MAX_FINDINGS = 100;

/** Validates the value itself, for the paths of calls and long lists. @param most bound on the findings */
export function findingsIn(schema: JsonSchema, value: unknown, most = MAX_FINDINGS): readonly Finding[] {
  const name = (schema as { readonly [SCHEMA_NAME]?: string })[SCHEMA_NAME];
  // ajv caches each compiled schema under its object.
  const check = PRECOMPILED[name ?? ''] ?? ajv().compile(schema);
  return check(value) ? [] : describeAll((check.errors ?? []).slice(0, most), schema);
}

/** Checks a tool's arguments. @returns a copy with defaults filled in @throws GatewayError TOOL_ARGUMENTS listing all faults */
export function validateArguments(schema: JsonSchema, args: JsonObject, tool: string): JsonObject {
  const { value, findings } = validate(schema, args);
  if (findings.length === 0) return value as JsonObject;
  const faults = findings.map(({ message }) => message).join('; ');
  throw new GatewayError('TOOL_ARGUMENTS', `arguments of ${tool}: ${faults}`, { details: { findings } });
}

function describeAll(errors: readonly ErrorObject[], schema: JsonSchema): Finding[] {
  const findings = new Map<string, Finding>();
  for (const error of errors) {
    if (['if', 'anyOf', 'oneOf', 'allOf'].includes(error.keyword) && errors.length > 1) continue;
    const finding = describe(error, schema);
    findings.set(`${finding.path.join('/')}:${finding.message}`, finding);
  }
  return [...findings.values()];
}

function describe(error: ErrorObject, schema: JsonSchema): Finding {
  const path = error.instancePath.split('/').slice(1).map(unescapePointer);
  const params = error.params as Record<string, unknown>;
  const name = path.length === 0 ? 'the value' : path.join('.');
  // A value that may be a secret stays out of messages (decision D19).
  const got = path.length > 0 && isMarked(schema, path) ? hidden(error) : shown(error.data);
  const fault = (rule: string): Finding => ({ path, message: `${name} ${rule}, not ${got}` });
  switch (error.keyword) {
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const key = String(params['additionalProperty'] ?? params['unevaluatedProperty']);
      return { path: [...path, key], message: `unknown key "${key}"${suggestion(key, error)}` };
    }
    case 'required':
      return { path, message: `${[...path, String(params['missingProperty'])].join('.')} is required` };
    case 'enum':
      return fault(`must be one of the enum values ${list(params['allowedValues'])}`);
    case 'const':
      return fault(`must be ${shown(params['allowedValue'])}`);
    case 'type':
      return fault(`must be ${typeWords(params['type'])}`);
    case 'minItems':
    case 'maxItems':
      return { path, message: `${name} ${ruleText(error)}, not ${(error.data as unknown[]).length}` };
    default:
      return fault(ruleText(error));
  }
}

const BOUNDS: Readonly<Record<string, (limit: string) => string>> = {
  minimum: (limit) => `at least ${limit}`,
  maximum: (limit) => `at most ${limit}`,
  exclusiveMinimum: (limit) => `more than ${limit}`,
  exclusiveMaximum: (limit) => `less than ${limit}`,
};
const SIZES: Readonly<Record<string, string>> = {
  minLength: 'at least',
  maxLength: 'at most',
  minItems: 'at least',
  maxItems: 'at most',
};

/** The rule in words, and its keyword for clients that look for that. */
function ruleText({ keyword, params, message = 'is not valid' }: ErrorObject): string {
  const limit = String((params as Record<string, unknown>)['limit']);
  const bound = BOUNDS[keyword];
  if (bound !== undefined) return `must be ${bound(limit)} (${keyword})`;
  const size = SIZES[keyword];
  if (size === undefined) return message;
  const unit = keyword.endsWith('Items') ? 'item' : 'character';
  return `must have ${size} ${limit} ${unit}${limit === '1' ? '' : 's'} (${keyword})`;
}

function suggestion(key: string, error: ErrorObject): string {
  const { properties = {}, advice = {} } = (error.parentSchema ?? {}) as Readonly<Record<string, object>>;
  const known = Object.keys(properties);
  if (Object.hasOwn(advice, key)) return `; ${(advice as Record<string, string>)[key] ?? ''}`;
  const [close] = nearest(key, known, 1);
  if (close !== undefined) return `; did you mean "${close}"?`;
  return known.length === 0 ? '; remove it' : `; known keys: ${known.join(', ')}`;
}

function typeWords(type: unknown): string {
  const types = Array.isArray(type) ? (type as string[]) : [String(type)];
  return types.map((word) => (/^[aeio]/.test(word) ? `an ${word}` : `a ${word}`)).join(' or ');
}

function list(values: unknown): string {
  return Array.isArray(values) ? values.map(shown).join(', ') : shown(values);
}

/** Never shows the content of a list or an object: it may hold secrets. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify([value]).slice(1, -1);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** The words for a value that may be secret. YAML reads 8080 and true without quotes as something else than a text. */
function hidden({ keyword, params, data }: ErrorObject): string {
  const isUnquoted = keyword === 'type' && params['type'] === 'string' && /number|boolean/.test(typeof data);
  return isUnquoted ? `a ${typeof data}; put it in quotes` : 'that';
}

function unescapePointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}
