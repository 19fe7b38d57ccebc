import type { JsonObject } from 'pegboard';
import { SUMMARY_CHARS } from './summary.ts';

const SHORTER_SUMMARIES = [120, 60, 0];
/** Number of entries, and of their bytes, built between two pauses: a few milliseconds. */
const MADE_AT_ONCE = 100;
const BYTES_AT_ONCE = 16_384;

export interface PageRequest {
  readonly limit: number;
  readonly offset: number;
  /** Whether the caller did not set the page size. */
  readonly isDefault: boolean;
}
/** The source of pages: an array, or an object that creates its items on demand. */
export interface Items<T> {
  readonly length: number;
  slice(from: number, to: number): readonly T[];
}
export interface PageBounds {
  readonly maxPageBytes: number;
  readonly defaultPageBytes: number;
}
export interface EntryPage {
  readonly entries: readonly JsonObject[];
  /** Number of all matches, not only of this page. */
  readonly total: number;
  readonly truncated: boolean;
  /** The applied limit: less than requested if the byte budget ended the page early. */
  readonly limit: number;
  readonly offset: number;
}
type Cutting = Generator<undefined, EntryPage>;

/** A page of short entries, built in pieces. Shortens the summaries before it shows fewer tools. */
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

/** Builds one page in pieces, and only its own entries; at least one entry, regardless of size. */
export function* cutPage<T>(
  items: Items<T>,
  { limit, offset }: PageRequest,
  shaping: { readonly maxBytes: number; toEntry(item: T): JsonObject },
): Cutting {
  const entries: JsonObject[] = [];
  let bytes = 0;
  let paused = 0;
  for (const item of items.slice(offset, offset + limit)) {
    const entry = shaping.toEntry(item);
    bytes += Buffer.byteLength(JSON.stringify(entry)) + 1;
    if (entries.length > 0 && bytes > shaping.maxBytes) break;
    entries.push(entry);
    if (entries.length % MADE_AT_ONCE !== 0 && bytes - paused < BYTES_AT_ONCE) continue;
    paused = bytes;
    yield;
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
