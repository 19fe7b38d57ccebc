import type { JsonObject } from 'pegboard';

/** The types that a JSON Schema allows, its branches included; none if it allows any. Text comes last: with `number | string`,
 *  3 is a number. */
export function wantedTypes({ type, anyOf, oneOf, enum: values }: JsonObject): readonly string[] {
  const branches = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? (list as JsonObject[]) : []));
  const own = [type].flat().filter((one) => typeof one === 'string');
  const ofValues = Array.isArray(values) && own.length === 0 ? values.map((value) => typeof value) : [];
  const all = [...new Set([...own, ...ofValues, ...branches.flatMap((branch) => wantedTypes(branch))])];
  return all.sort((a, b) => Number(a === 'string') - Number(b === 'string'));
}
