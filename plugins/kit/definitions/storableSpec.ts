import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';

/** Keys of workflows, their steps and retries whose numbers are seconds. */
const DURATIONS: readonly string[] = ['timeout', 'delay', 'maxDelay', 'max_delay'];
/** Keys below which there are steps or retries. All others hold values of people, which stay as they are. */
const PARTS: readonly string[] = [
  'steps',
  'onFailure',
  'finally',
  'parallel',
  'forEach',
  'for_each',
  'on_failure',
];

/** A spec as the custom resource holds it: durations and versions as texts, `retryOn` for `on`. Source: schemas/crd/README.md. */
export function storableSpec(spec: JsonObject): JsonObject {
  if (!Array.isArray(spec['steps'])) return spec;
  const { version } = spec;
  return { ...withTexts(spec), ...(typeof version === 'number' && { version: String(version) }) };
}

function withTexts(part: JsonObject): JsonObject {
  const entries = Object.entries(part).map(([key, value]): [string, unknown] => {
    if (DURATIONS.includes(key) && typeof value === 'number') return [key, `${value}s`];
    if (key === 'retry' && isObject(value)) return [key, withRetryOn(withTexts(value))];
    return [key, PARTS.includes(key) ? textsBelow(value) : value];
  });
  return Object.fromEntries(entries);
}

/** The settings of a retry with `retryOn` for `on`, which kubectl and helm read as true. */
function withRetryOn(retry: JsonObject): JsonObject {
  const { on, ...rest } = retry;
  return on === undefined ? retry : { ...rest, retryOn: on };
}

function textsBelow(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(textsBelow);
  return isObject(value) ? withTexts(value) : value;
}

/** Why a name cannot be one of an object. Source: RFC 1123, as the Kubernetes API demands of object names. */
export function objectNameFault(name: string): string | undefined {
  if (/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(name)) return undefined;
  return `${JSON.stringify(name)} cannot be the name of a Kubernetes object: use lower-case letters, digits, - and ., at most 253 characters`;
}
