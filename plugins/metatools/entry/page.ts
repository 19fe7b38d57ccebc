import type { JsonObject } from 'pegboard';
import { SUMMARY_CHARS } from './summary.ts';

const SHORTER_SUMMARIES = [120, 60, 0];
/** Entries that are made at a time: a few milliseconds. */
const MADE_AT_ONCE = 100;

export interface PageRequest {
  readonly limit: number;
  readonly offset: number;
  /** Whether the caller left the size of the page to us. */
  readonly isDefault: boolean;
}
/** What pages are cut from; an array, or what makes its items only when they are looked at. */
export interface Items<T> {
  readonly length: number;
  slice(from: number, to: number): readonly T[];
}
export interface PageBounds {
  readonly maxPageBytes: number;
  readonly defaultPageBytes: number;
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
type Cutting = Generator<undefined, Page>;

/** A page of short entries, made in pieces. One of default size says less of each tool before it shows fewer of them. */
export function* cutShortPage<T>(
  items: Items<T>,
  asked: PageRequest,
  shaping: { readonly bounds: PageBounds; toEntry(item: T, summaryChars: number): JsonObject },
): Cutting {
  const { maxPageBytes, defaultPageBytes } = shaping.bounds;
  const maxBytes = asked.isDefault ? Math.min(defaultPageBytes, maxPageBytes) : maxPageBytes;
  const cut = (chars: number): Cutting =>
    cutPage(items, asked, { maxBytes, toEntry: (item) => shaping.toEntry(item, chars) });
  let page = yield* cut(SUMMARY_CHARS);
  for (const chars of SHORTER_SUMMARIES) {
    if (page.limit === asked.limit) break;
    page = yield* cut(chars);
  }
  return page;
}

/** Cuts one page in pieces and shapes only what is on it; at least one entry, however large. */
export function* cutPage<T>(
  items: Items<T>,
  { limit, offset }: PageRequest,
  shaping: { readonly maxBytes: number; toEntry(item: T): JsonObject },
): Cutting {
  const entries: JsonObject[] = [];
  let bytes = 0;
  for (const item of items.slice(offset, offset + limit)) {
    const entry = shaping.toEntry(item);
    bytes += Buffer.byteLength(JSON.stringify(entry)) + 1;
    if (entries.length > 0 && bytes > shaping.maxBytes) break;
    entries.push(entry);
    if (entries.length % MADE_AT_ONCE === 0) yield;
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
