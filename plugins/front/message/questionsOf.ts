import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';

/** What a server may ask a client for, and the sub-capabilities that a client declares separately. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  elicitation: ['form', 'url'],
  sampling: ['tools', 'context'],
  roots: [],
};

/** Keeps only the capabilities that questions need, because they travel with every request. */
export function questionsOf(capabilities: unknown): JsonObject {
  if (!isObject(capabilities)) return {};
  const kept = Object.keys(PARTS).filter((name) => isObject(capabilities[name]));
  return Object.fromEntries(kept.map((name) => [name, partsOf(capabilities[name], PARTS[name] ?? [])]));
}

function partsOf(capability: unknown, names: readonly string[]): JsonObject {
  const parts = names.filter((name) => isObject(capability) && isObject(capability[name]));
  return Object.fromEntries(parts.map((name) => [name, {}]));
}
