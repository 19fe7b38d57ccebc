import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';

export interface Understood {
  readonly args: JsonObject;
  /** What was read otherwise than written, for the answer. */
  readonly said: readonly string[];
}

/** A value of another type than a meta-tool declares, as what it can only mean: `"3"` is 3, `["a"]` is `"a"`, and a query in parts
 *  is one. Any other is left to the tool, which refuses it. */
export function understoodArguments(args: JsonObject, properties: JsonObject): Understood {
  const said: string[] = [];
  const read = Object.entries(args).map(([key, value]) => {
    const property = properties[key];
    const meant = isObject(property) ? meantBy(value, key, property['type']) : undefined;
    if (meant === undefined) return [key, value] as const;
    said.push(`${key} as ${JSON.stringify(meant)}`);
    return [key, meant] as const;
  });
  return said.length === 0 ? { args, said } : { args: Object.fromEntries<unknown>(read), said };
}

function meantBy(value: unknown, key: string, type: unknown): unknown {
  if (type === 'number' && typeof value === 'string' && /^\d{1,9}$/.test(value.trim())) return Number(value);
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  if (type !== 'string' || !Array.isArray(value) || !value.every((one) => typeof one === 'string'))
    return undefined;
  if (value.length === 1) return value[0];
  return key === 'query' && value.length > 1 ? value.join(', ') : undefined;
}
