import { GatewayError, isObject, pathBelow } from 'pegboard';
import type { JsonObject } from 'pegboard';
import type { Requests } from './requests.ts';
import { rpcText } from './rpcText.ts';

export const LISTS = {
  tools: { method: 'tools/list', capability: 'tools' },
  resources: { method: 'resources/list', capability: 'resources' },
  resourceTemplates: { method: 'resources/templates/list', capability: 'resources' },
  prompts: { method: 'prompts/list', capability: 'prompts' },
} as const;
export type ListName = keyof typeof LISTS;

export interface ListLimits {
  readonly timeoutMs: number;
  readonly maxListPages: number;
  readonly maxListItems: number;
}

/** Far above any schema that is meant, far below what JSON.stringify dies of. */
const MAX_LEVELS = 512;
const TOO_DEEP = 'nestedTooDeep';

function tooDeep(item: unknown): JsonObject {
  return { name: isObject(item) ? item['name'] : undefined, [TOO_DEEP]: MAX_LEVELS };
}
/** @returns how many levels a tool may have, for one that was left away because it has more */
export function levelsExceeded(declared: JsonObject): number | undefined {
  return declared['inputSchema'] === undefined ? (declared[TOO_DEEP] as number | undefined) : undefined;
}

/** Every page of one list, without items that nothing could write again; a cursor that comes again, and the caps, end it. Items are as the server sent them.
 *  @throws GatewayError UPSTREAM_PROTOCOL when it is no list, UPSTREAM_TIMEOUT, UPSTREAM_ERROR */
export async function readList(
  requests: Requests,
  name: ListName,
  limits: ListLimits,
): Promise<readonly unknown[]> {
  const { method } = LISTS[name];
  const items: unknown[] = [];
  const seen = new Set<string>();
  let params: JsonObject = {};
  for (let page = 0; page < limits.maxListPages && items.length < limits.maxListItems; page += 1) {
    const answer = JSON.parse(await requests.ask(rpcText(method, params), limits.timeoutMs)) as JsonObject;
    const found = answer[name];
    if (!Array.isArray(found))
      throw new GatewayError('UPSTREAM_PROTOCOL', `${method} was answered without a list`);
    for (const item of found) {
      if (pathBelow(item, MAX_LEVELS) === undefined) items.push(item);
      else if (name === 'tools') items.push(tooDeep(item));
    }
    const cursor = answer['nextCursor'];
    if (typeof cursor !== 'string' || seen.has(cursor)) break;
    seen.add(cursor);
    params = { cursor };
  }
  return items.slice(0, limits.maxListItems);
}
