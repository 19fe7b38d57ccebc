import type { JsonSchema } from '../contracts/json.ts';
import { isObject } from './json.ts';

type Path = readonly (string | number)[];
/** Schemas that apply to one place, each with the schema to which its references are relative. */
type Branches = ReadonlyMap<JsonSchema, JsonSchema>;

/** A text or number that a schema marks as secret. */
export interface MarkedPlace {
  readonly path: Path;
  /** Whether a list or map around it is marked: people choose what that holds, so not every text in it is a secret. */
  readonly isAmongOthers: boolean;
  /** Whether it is part of such a list, or may be a list instead: a word of a command, of which its neighbours say more. */
  readonly isWord: boolean;
  /** Whether it is an address (`format: address`), of which only parts are secret. */
  readonly isAddress: boolean;
  /** Whether no schema describes it, and only its name or that of a key around it says that it is secret. */
  readonly isGuessed: boolean;
}
export type ReplaceMarked = (given: string | number, place: MarkedPlace) => unknown;

interface Place extends MarkedPlace {
  readonly branches: Branches;
  readonly isMarked: boolean;
}

/** Keys that no schema describes are secret by their names. */
const UNKNOWN_SECRET =
  /(password|passphrase|secret|token|credentials?|keys?|authorization|cookie|env|headers)$/i;

/** A copy of a value in which each text and number is replaced that the schema marks as secret (`writeOnly: true`) in any of
 *  its branches. So is what is below a marked place, and a text where an object or a list with such places is expected. */
export function replaceMarked(schema: JsonSchema, value: unknown, replace: ReplaceMarked): unknown {
  return replaced(value, startOf(schema), replace);
}

/** Whether a value at `path` may be a secret. */
export function isMarked(schema: JsonSchema, path: Path): boolean {
  return isSecret(path.reduce(below, startOf(schema)));
}

function startOf(schema: JsonSchema): Place {
  const branches = branchesOf(schema, schema);
  const none = { isMarked: false, isAmongOthers: false, isWord: false, isAddress: false, isGuessed: false };
  return { path: [], branches, ...none };
}

function replaced(value: unknown, place: Place, replace: ReplaceMarked): unknown {
  if (Array.isArray(value)) return value.map((item, at) => replaced(item, below(place, at), replace));
  if (isObject(value)) {
    const entries = Object.entries(value).map(([key, part]) => [
      key,
      replaced(part, below(place, key), replace),
    ]);
    return Object.fromEntries(entries) as unknown;
  }
  const isText = typeof value === 'string' || typeof value === 'number';
  return isText && isSecret(place) ? replace(value, place) : value;
}

function isSecret({ branches, isMarked }: Place): boolean {
  return isMarked || [...branches].some(([schema, root]) => holdsMarked(schema, root, new Set()));
}

function below({ path, branches, isMarked, isGuessed }: Place, key: string | number): Place {
  const found = new Map<JsonSchema, JsonSchema>();
  for (const [schema, root] of branches)
    for (const part of partsAt(schema, String(key))) branchesOf(part, root, found);
  const all = [...found.keys()];
  const isOwn = all.some((schema) => schema['writeOnly'] === true);
  const isNamed = !isMarked && all.length === 0 && UNKNOWN_SECRET.test(String(key));
  return {
    path: [...path, key],
    branches: found,
    isMarked: isMarked || isOwn || isNamed,
    isGuessed: isGuessed || isNamed,
    isAmongOthers: isMarked,
    isWord:
      all.some(({ writeOnly, items }) => writeOnly === true && items !== undefined) ||
      (isMarked && typeof key === 'number'),
    isAddress: all.some(({ format }) => format === 'address'),
  };
}

/** The schemas of a key or an index; a path does not say which of them it is. */
function partsAt(schema: JsonSchema, key: string): readonly unknown[] {
  const { properties = {}, patternProperties = {}, prefixItems, items } = schema as Partial<Schemas>;
  const parts: unknown[] = /^\d+$/.test(key) ? [prefixItems?.[Number(key)] ?? items] : [];
  if (Object.hasOwn(properties, key)) parts.push(properties[key]);
  for (const [pattern, part] of Object.entries(patternProperties))
    if (new RegExp(pattern, 'u').test(key)) parts.push(part);
  return parts.some(isObject) ? parts : [schema['additionalProperties'], schema['unevaluatedProperties']];
}
interface Schemas {
  readonly properties: JsonSchema;
  readonly patternProperties: JsonSchema;
  readonly prefixItems: readonly unknown[];
  readonly items: unknown;
}

/** The schema, and those that it combines or refers to. */
function branchesOf(
  schema: unknown,
  root: JsonSchema,
  found: Map<JsonSchema, JsonSchema> = new Map(),
): Map<JsonSchema, JsonSchema> {
  if (!isObject(schema) || found.has(schema)) return found;
  // The references of a schema within another one are relative to the former.
  const base = '$id' in schema || '$defs' in schema ? schema : root;
  found.set(schema, base);
  const { $ref, allOf = [], anyOf = [], oneOf = [], then, else: otherwise } = schema;
  for (const part of [targetOf($ref, base), allOf, anyOf, oneOf, then, otherwise].flat())
    branchesOf(part, base, found);
  return found;
}

/** @param ref a JSON pointer: `#/$defs/step` */
function targetOf(ref: unknown, root: JsonSchema): unknown {
  if (typeof ref !== 'string' || !ref.startsWith('#')) return undefined;
  const steps = ref.split('/').slice(1);
  return steps.reduce<unknown>((part, step) => {
    const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    return typeof part === 'object' && part !== null ? (part as JsonSchema)[key] : undefined;
  }, root);
}

function holdsMarked(part: unknown, root: JsonSchema, seen: Set<unknown>): boolean {
  if (typeof part !== 'object' || part === null || seen.has(part)) return false;
  seen.add(part);
  const { writeOnly, $ref } = part as JsonSchema;
  const parts = [targetOf($ref, root), ...(Object.values(part) as unknown[])];
  return writeOnly === true || parts.some((one) => holdsMarked(one, root, seen));
}
