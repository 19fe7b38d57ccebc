import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';

/** Keys of workflows, their steps and retries whose numbers are seconds. */
const DURATIONS: readonly string[] = ['timeout', 'delay', 'maxDelay', 'max_delay'];
/** Keys below which there are steps or retries. All others hold values of people, which stay as they are. */
const PARTS: readonly string[] = ['steps', 'onFailure', 'finally', 'parallel', 'forEach', 'retry'];

/** A spec as the custom resource holds it: durations and versions as texts. Source: schemas/crd/README.md. */
export function storableSpec(spec: JsonObject): JsonObject {
  if (!Array.isArray(spec['steps'])) return spec;
  const { version } = spec;
  return { ...withTexts(spec), ...(typeof version === 'number' && { version: String(version) }) };
}

function withTexts(part: JsonObject): JsonObject {
  const entries = Object.entries(part).map(([key, value]): [string, unknown] => {
    if (DURATIONS.includes(key) && typeof value === 'number') return [key, `${value}s`];
    return [key, PARTS.includes(key) ? textsBelow(value) : value];
  });
  return Object.fromEntries(entries);
}

function textsBelow(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(textsBelow);
  return isObject(value) ? withTexts(value) : value;
}
