import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { canonicalText } from './fingerprint.ts';

/** Keywords that allow and forbid nothing. */
const WORDS = new Set(['title', 'description', 'default', 'examples', '$comment', '$schema', 'deprecated']);
/** A rule elsewhere that may have changed, other than among definitions, which are compared. */
const DISTANT = /"\$(?:ref|dynamicRef|recursiveRef)":"(?!#\/(?:\$defs|definitions)\/)/;
const CHECKED = new Set(['type', 'properties', 'required', 'additionalProperties', 'enum', 'const', 'items']);

/** Why arguments do not fit both schemas of a tool; undefined if they do. Where both say the same, the server checks them. Where they
 *  differ in a rule that is not checked here, nothing fits: patterns of servers are never run (decision D18). */
export function argumentFault(one: unknown, other: unknown, value: unknown, path = ''): string | undefined {
  const [a, b] = [rulesOf(one), rulesOf(other)];
  const texts = [canonicalText(a), canonicalText(b)];
  if (texts[0] === texts[1]) return undefined;
  const where = path === '' ? 'the arguments' : path;
  if (texts.some((text) => DISTANT.test(text)))
    return `a rule of ${where} is a $ref to what may have changed`;
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)]))
    if (!CHECKED.has(key) && canonicalText(a[key]) !== canonicalText(b[key]))
      return `the rule ${key} of ${where} has changed`;
  for (const rules of [a, b]) {
    const fault = ownFault(rules, value, where);
    if (fault !== undefined) return fault;
  }
  if (Array.isArray(value))
    return firstOf(value, (item) => argumentFault(a['items'], b['items'], item, `${where}[]`));
  if (!isObject(value)) return undefined;
  const [inA, inB] = [propertiesOf(a), propertiesOf(b)];
  return firstOf(Object.keys(value), (name) => {
    const at = path === '' ? name : `${path}.${name}`;
    const isInA = Object.hasOwn(inA, name);
    if (isInA !== Object.hasOwn(inB, name)) return `${at} is in one of the two schemas only`;
    if (isInA) return argumentFault(inA[name], inB[name], value[name], at);
    return argumentFault(a['additionalProperties'], b['additionalProperties'], value[name], at);
  });
}

/** The fault of the value itself, without what it holds. */
function ownFault(rules: JsonObject, value: unknown, where: string): string | undefined {
  const { type, required, additionalProperties } = rules;
  const types = [type].flat().filter((each) => typeof each === 'string');
  if (types.length > 0 && !types.some((each) => isOfType(each, value)))
    return `${where} must be ${types.join(' or ')}`;
  const allowed = 'const' in rules ? [rules['const']] : rules['enum'];
  const text = canonicalText(value);
  if (Array.isArray(allowed) && !allowed.some((each) => canonicalText(each) === text))
    return `${where} has a value that is not allowed`;
  if (!isObject(value)) return undefined;
  const names = [required].flat().filter((name) => typeof name === 'string');
  const missing = names.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) return `${where} must have ${missing}`;
  const known = propertiesOf(rules);
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(known, name));
  return additionalProperties === false && unknown !== undefined
    ? `${where} must not have ${unknown}`
    : undefined;
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}
function rulesOf(schema: unknown): JsonObject {
  // `true` allows everything as {} does.
  if (schema === undefined || schema === true) return {};
  // False, or a list of schemas, which is a rule that is not checked here.
  if (!isObject(schema)) return { schema };
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !WORDS.has(key)));
}
function propertiesOf({ properties }: JsonObject): JsonObject {
  return isObject(properties) ? properties : {};
}
function firstOf<T>(all: readonly T[], fault: (one: T) => string | undefined): string | undefined {
  for (const one of all) {
    const found = fault(one);
    if (found !== undefined) return found;
  }
  return undefined;
}
