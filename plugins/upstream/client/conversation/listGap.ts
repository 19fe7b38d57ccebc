import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from 'pegboard';

/** What has been read of one list. */
export interface ReadPages {
  readonly method: string;
  /** Number of pages. */
  readonly pages: number;
  readonly items: readonly unknown[];
  /** Cursors of the pages that were asked for. */
  readonly cursors: ReadonlySet<string>;
}
/** What follows a page of a list: another one, or the end, with a gap if more was listed than is read. */
export type ListEnd = { readonly cursor: string } | { readonly gap: string | undefined };

/** Bounds of one list. */
export interface ListBounds {
  readonly maxListPages: number;
  readonly maxListItems: number;
}

/** @param answer the last page of those that were read */
export function endOf(
  answer: JsonObject,
  { method, pages, items, cursors }: ReadPages,
  { maxListItems, maxListPages }: ListBounds,
): ListEnd {
  const cursor: unknown = answer['nextCursor'] ?? undefined;
  const bound = '(maxListItems of plugins.upstream.config)';
  if (items.length > maxListItems && cursor === undefined)
    return {
      gap: `${method} has ${items.length} entries, and only the first ${maxListItems} of them are read ${bound}`,
    };
  if (items.length >= maxListItems && cursor !== undefined)
    return { gap: `${method} has more than ${maxListItems} entries, and the rest is not read ${bound}` };
  if (cursor === undefined) return { gap: undefined };
  const next = `the page after page ${pages} of ${method} is not read`;
  if (typeof cursor !== 'string')
    return { gap: `${next}: its nextCursor is not a string (${kindOf(cursor)})` };
  if (cursors.has(cursor)) return { gap: `${next}: its nextCursor leads to a page that was read before` };
  if (pages === maxListPages)
    return {
      gap: `${method} has more than ${maxListPages} pages, and the rest is not read (maxListPages of plugins.upstream.config)`,
    };
  return { cursor };
}

/** Whether the server has answered with the page before once more: it ignores the cursor. Empty pages may follow each other. */
export function isRepeated(page: readonly unknown[], before: readonly unknown[] | undefined): boolean {
  return before !== undefined && page.length > 0 && isDeepStrictEqual(page, before);
}
export function repeatedGap(method: string, page: number): string {
  return `${method} answers with page ${page} again in place of the next one, so what follows it is not known`;
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value;
}
