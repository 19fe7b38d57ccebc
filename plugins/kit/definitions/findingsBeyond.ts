import { findingsIn, isObject } from 'pegboard';
import type { Finding, JsonObject, JsonSchema } from 'pegboard';

/** What a check finds in a spec that does not conform to its schema, in the parts that do, so that one run tells all.
 *  @param misfits where it does not @returns nothing if too little is left to be checked */
export function findingsBeyond(
  schema: JsonSchema,
  spec: JsonObject,
  misfits: readonly Finding[],
  check: (rest: JsonObject) => readonly Finding[],
): readonly Finding[] {
  const rest = withoutParts(spec, misfits);
  if (findingsIn(schema, rest).length > 0) return [];
  return check(rest).filter((finding) => !misfits.some((misfit) => mayFollow(finding, misfit)));
}

type Keys = Record<string | number, unknown>;

function withoutParts(spec: JsonObject, misfits: readonly Finding[]): JsonObject {
  const copy = structuredClone(spec);
  for (const { path } of misfits) {
    const parent = path.slice(0, -1).reduce<unknown>((part, key) => (part as Keys | undefined)?.[key], copy);
    if (isObject(parent)) Reflect.deleteProperty(parent, path.at(-1) ?? '');
  }
  return copy;
}

/** Whether a finding around or below a misfit may be there because that is left out. */
function mayFollow({ path, message }: Finding, { path: left }: Finding): boolean {
  if (path.length === 0) return message.includes(String(left.at(-1)));
  return path.slice(0, left.length).join('\0') === left.slice(0, path.length).join('\0');
}
