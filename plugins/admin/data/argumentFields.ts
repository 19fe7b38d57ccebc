import { isObject } from 'pegboard';
import { isSecretName } from 'pegboard/kit';
import type { JsonObject, JsonSchema } from 'pegboard';

const MAX_FIELDS = 100;
const MAX_CHOICES = 200;

export interface ArgumentField {
  readonly name: string;
  /** `json`: anything that is not one of the others. */
  readonly kind: 'text' | 'secret' | 'number' | 'integer' | 'boolean' | 'choice' | 'json';
  readonly description: string;
  readonly isRequired: boolean;
  /** The default, as the field shows it; empty if there is none. */
  readonly preset: string;
  /** Values of a choice, by how the field shows them. */
  readonly choices: ReadonlyMap<string, unknown>;
}

/** Arguments of a tool, each as a field of a form: the required ones first. */
export function argumentFields({ properties, required }: JsonSchema): readonly ArgumentField[] {
  if (!isObject(properties)) return [];
  const needed = new Set(Array.isArray(required) ? required : []);
  const names = Object.keys(properties);
  const inOrder = [...names.filter((name) => needed.has(name)), ...names.filter((name) => !needed.has(name))];
  return inOrder.slice(0, MAX_FIELDS).map((name) => fieldOf(name, properties[name], needed.has(name)));
}

/** Whether a schema lets callers send more than its form has fields for. */
export function takesMore({ properties, additionalProperties }: JsonSchema): boolean {
  return (
    additionalProperties !== false || Object.keys(isObject(properties) ? properties : {}).length > MAX_FIELDS
  );
}

/** A value as a field shows it. */
export function fieldText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 1).replace(/\n\s*/g, ' ');
}

function fieldOf(name: string, declared: unknown, isRequired: boolean): ArgumentField {
  const outer = isObject(declared) ? declared : {};
  const schema = withoutNull(outer);
  const choices = choicesOf(schema);
  const { description = schema['description'], default: preset = schema['default'] } = outer;
  return {
    name,
    kind: kindOf(name, schema, choices),
    description: typeof description === 'string' ? description : '',
    isRequired,
    preset: fieldText(preset),
    choices,
  };
}

function kindOf(
  name: string,
  schema: JsonObject,
  { size }: ReadonlyMap<string, unknown>,
): ArgumentField['kind'] {
  if (size > 0 && size <= MAX_CHOICES) return 'choice';
  const { type, format, writeOnly } = schema;
  if (type === 'string')
    return format === 'password' || writeOnly === true || isSecretName(name) ? 'secret' : 'text';
  if (type === 'number' || type === 'integer' || type === 'boolean') return type;
  return 'json';
}

function choicesOf({ enum: values, const: only }: JsonObject): ReadonlyMap<string, unknown> {
  const all: readonly unknown[] = Array.isArray(values) ? values : only === undefined ? [] : [only];
  return new Map(all.filter((value) => value !== null).map((value) => [fieldText(value), value]));
}

/** An optional value is often declared as itself or null: the field is then simply left empty. */
function withoutNull(schema: JsonObject): JsonObject {
  const { type, anyOf, oneOf } = schema;
  if (Array.isArray(type)) {
    const [first, ...others] = (type as unknown[]).filter((one) => one !== 'null');
    return others.length === 0 ? { ...schema, type: first } : schema;
  }
  const variants = [anyOf, oneOf].find((one): one is unknown[] => Array.isArray(one)) ?? [];
  const [first, ...others] = variants.filter((one) => !isObject(one) || one['type'] !== 'null');
  return others.length === 0 && isObject(first) ? withoutNull(first) : schema;
}
