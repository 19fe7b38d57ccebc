import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';

/** What a server may ask a client for, and the parts of it that a client declares one by one. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  elicitation: ['form', 'url'],
  sampling: ['tools', 'context'],
  roots: [],
};

/** Of what a client declares only what a server may ask it for: the rest would travel with every request. */
export function questionsOf(capabilities: unknown): JsonObject {
  if (!isObject(capabilities)) return {};
  const kept = Object.keys(PARTS).filter((name) => isObject(capabilities[name]));
  return Object.fromEntries(kept.map((name) => [name, partsOf(capabilities[name], PARTS[name] ?? [])]));
}

function partsOf(capability: unknown, names: readonly string[]): JsonObject {
  const parts = names.filter((name) => isObject(capability) && isObject(capability[name]));
  return Object.fromEntries(parts.map((name) => [name, {}]));
}
