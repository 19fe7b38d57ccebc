import { findingsIn, isObject } from 'pegboard';
import type { Finding, JsonObject, ResourceKind } from 'pegboard';

export interface KnownSpec {
  readonly spec: JsonObject;
  /** The keys that were left out, each with its place and what may help. */
  readonly unknown: readonly Finding[];
}

/** Whether every cluster has the kind; one whose definitions are of an older version may lack others. */
export function isFirstKind({ directory }: Pick<ResourceKind, 'directory'>): boolean {
  return directory === 'mcpservers' || directory === 'workflows';
}

/** A spec without the keys that this version does not know: the API server has let in only what its resource definition has, so
 *  that they are a newer version's. Conditions are free-form there: a key in one is a typo, stays, and is refused. */
export function knownSpec(kind: ResourceKind, spec: JsonObject): KnownSpec {
  // Others may say who may do what: an unknown key may narrow that, so that the definition is refused.
  if (!isFirstKind(kind)) return { spec, unknown: [] };
  // The check fills in defaults.
  const misfits = findingsIn(kind.schema, structuredClone(spec), Infinity).filter(isUnknown);
  if (misfits.length === 0) return { spec, unknown: [] };
  const known = structuredClone(spec);
  for (const { path } of misfits) {
    const holder = path.slice(0, -1).reduce<unknown>((value, key) => (value as JsonObject)[key], known);
    if (isObject(holder)) Reflect.deleteProperty(holder, String(path.at(-1)));
  }
  return { spec: known, unknown: kind.explain?.(misfits, spec) ?? misfits };
}

function isUnknown({ path, message }: Finding): boolean {
  const isKey = message.startsWith(`unknown key "${String(path.at(-1))}"`);
  return isKey && !path.slice(0, -1).includes('condition');
}
