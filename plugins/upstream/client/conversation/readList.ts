import { GatewayError, HIDDEN, isObject, pathBelow } from 'pegboard';
import { hiddenIn } from 'pegboard/kit';
import type { JsonObject } from 'pegboard';
import type { StandardError } from '../wire/standardError.ts';
import type { Requests } from '../rpc/requests.ts';
import { rpcText } from '../rpc/rpcText.ts';
import { endOf, isRepeated, repeatedGap } from './listGap.ts';
import type { ListBounds } from './listGap.ts';

export const LISTS = {
  tools: { method: 'tools/list', capability: 'tools', key: 'name' },
  resources: { method: 'resources/list', capability: 'resources', key: 'uri' },
  resourceTemplates: { method: 'resources/templates/list', capability: 'resources', key: 'uriTemplate' },
  prompts: { method: 'prompts/list', capability: 'prompts', key: 'name' },
} as const;
export type ListName = keyof typeof LISTS;
export const LIST_NAMES = Object.keys(LISTS) as readonly ListName[];

export interface ListLimits extends ListBounds {
  readonly timeoutMs: number;
}

/** Hides the secrets that the server was given. */
export type ItemOutput = Pick<StandardError, 'hideInProse' | 'isRepeatedIn'>;

/** Far more than any real schema has, far fewer than overflow the stack in JSON.stringify. */
const MAX_LEVELS = 512;
const TOO_DEEP = 'nestedTooDeep';

function tooDeep(item: unknown): JsonObject {
  return { name: isObject(item) ? item['name'] : undefined, [TOO_DEEP]: MAX_LEVELS };
}
/** @returns the maximum number of levels if the tool was left out because it has more; otherwise undefined */
export function levelsExceeded(declared: JsonObject): number | undefined {
  return declared['inputSchema'] === undefined ? (declared[TOO_DEEP] as number | undefined) : undefined;
}

interface ReadOptions {
  readonly output: ItemOutput;
  readonly reading: ListReading;
  /** Whether an answer without the list, or with null, is an empty page. */
  readonly mayBeMissing: boolean;
}

export interface ReadList {
  readonly items: readonly unknown[];
  /** How long the server considers the list current. Source: MCP 2026-07-28, Caching */
  readonly ttlMs: number | undefined;
  /** Which part of the list was not read; undefined if all of it was. */
  readonly gap: string | undefined;
}

/** How far a list has been read. */
export interface ListReading {
  readonly items: unknown[];
  /** Cursors of the pages that were asked for. */
  readonly cursors: Set<string>;
  /** Number of the pages that have arrived. */
  pages: number;
  /** The last of them. */
  former: readonly unknown[] | undefined;
  /** Params of the request for the next page: its cursor, or nothing for the first. */
  params: JsonObject;
  ttlMs: number | undefined;
}
export function newReading(): ListReading {
  return { items: [], cursors: new Set(), pages: 0, former: undefined, params: {}, ttlMs: undefined };
}

/** Reads all pages of one list that `reading` does not have yet, until the maximum or a cursor that leads nowhere. Leaves out items that are nested too deeply to be
 *  serialized. Items are as the server sent them, with secrets redacted; an item whose name repeats one is named HIDDEN.
 *  @throws GatewayError UPSTREAM_PROTOCOL if the answer has no list, UPSTREAM_TIMEOUT, UPSTREAM_ERROR */
export async function readList(
  requests: Requests,
  name: ListName,
  { output, reading, mayBeMissing, ...limits }: ListLimits & ReadOptions,
): Promise<ReadList> {
  const { method, key } = LISTS[name];
  const { items, cursors } = reading;
  let gap: string | undefined;
  for (;;) {
    const text = await requests.ask(rpcText(method, reading.params), limits.timeoutMs);
    const answer = JSON.parse(text) as JsonObject;
    const found = answer[name] ?? (mayBeMissing ? [] : undefined);
    if (!Array.isArray(found))
      throw new GatewayError('UPSTREAM_PROTOCOL', `${method} was answered without a list`);
    if (isRepeated(found, reading.former)) {
      gap = repeatedGap(method, reading.pages);
      break;
    }
    reading.former = found;
    reading.pages += 1;
    // Most lists repeat no secret, and one search of the text is cheap; escaped text needs a search of each value.
    const mayRepeat = output.hideInProse(text) !== text || /\\[u/]/.test(text);
    const show = (item: unknown): unknown => (mayRepeat ? shown(item, key, output) : item);
    for (const item of found) {
      if (pathBelow(item, MAX_LEVELS) === undefined) items.push(show(item));
      else if (name === 'tools') items.push(show(tooDeep(item)));
    }
    if (typeof answer['ttlMs'] === 'number')
      reading.ttlMs = Math.min(reading.ttlMs ?? Infinity, answer['ttlMs']);
    const end = endOf(answer, { method, ...reading }, limits);
    if (!('cursor' in end)) {
      gap = end.gap;
      break;
    }
    cursors.add(end.cursor);
    reading.params = { cursor: end.cursor };
  }
  return { items: items.slice(0, limits.maxListItems), ttlMs: reading.ttlMs, gap };
}

function shown(item: unknown, key: string, output: ItemOutput): unknown {
  const clean = hiddenIn(item, (text) => output.hideInProse(text));
  const name = isObject(item) ? item[key] : undefined;
  if (!isObject(clean) || typeof name !== 'string') return clean;
  return { ...clean, [key]: output.isRepeatedIn(name) ? HIDDEN : name };
}
