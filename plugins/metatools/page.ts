import type { JsonObject } from 'pegboard';
import { wholeNumber } from './arguments.ts';

export interface PageRequest {
  readonly limit: number;
  readonly offset: number;
}
export interface Page {
  readonly entries: readonly JsonObject[];
  /** Of all that matched, not of this page. */
  readonly total: number;
  readonly truncated: boolean;
  /** As applied: fewer than asked when the byte budget ended the page early. */
  readonly limit: number;
  readonly offset: number;
}

/** @throws GatewayError TOOL_ARGUMENTS */
export function readPage(args: JsonObject, fallbackLimit: number): PageRequest {
  const limit = wholeNumber(args, 'limit', { least: 1, fallback: fallbackLimit });
  return { limit, offset: wholeNumber(args, 'offset', { least: 0, fallback: 0 }) };
}

/** Cuts one page and shapes only what is on it; at least one entry, however large. */
export function cutPage<T>(
  items: readonly T[],
  { limit, offset }: PageRequest,
  shaping: { readonly maxBytes: number; toEntry(item: T): JsonObject },
): Page {
  const entries: JsonObject[] = [];
  let bytes = 0;
  for (const item of items.slice(offset, offset + limit)) {
    const entry = shaping.toEntry(item);
    bytes += Buffer.byteLength(JSON.stringify(entry, null, 2));
    if (entries.length > 0 && bytes > shaping.maxBytes) break;
    entries.push(entry);
  }
  const end = Math.min(offset + limit, items.length);
  const wasCutShort = offset + entries.length < end;
  return {
    entries,
    total: items.length,
    truncated: offset + entries.length < items.length && offset < items.length,
    limit: wasCutShort ? entries.length : limit,
    offset,
  };
}
