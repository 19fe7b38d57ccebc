import type { JsonObject } from 'pegboard';

/** A spec as the custom resource holds it: `command` as a list, which the kind also accepts as a string. */
export function storableSpec(spec: JsonObject): JsonObject {
  return typeof spec['command'] === 'string' ? { ...spec, command: [spec['command']] } : spec;
}
