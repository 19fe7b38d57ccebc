import { many } from 'pegboard';
import type { InboundRequest, Tool } from 'pegboard';

/** A search in words, as filter_tools answers it. */
export interface Search {
  readonly query: string;
  /** The parts of the query that may each want a different tool: its sentences or clauses, at most 6. Empty if it has only one. */
  readonly clauses: readonly string[];
  /** The tools that the request may see and the filters let through, in a stable order. No other is ever shown. */
  readonly tools: readonly Tool[];
  readonly request: InboundRequest;
}

/** An order of a search's tools beside the one by words. The lists are fused by their ranks: each weighs as much as words, or three tenths of
 *  that if words alone are confident. A search that fails here, or takes too long, is answered by words alone. */
export interface SearchOrder {
  /** What it is called where a search is explained. */
  readonly name: string;
  /** The longest that a search waits for it, in ms; absent: 50. */
  readonly waitMs?: number;
  /** @param signal aborted when the search continues without it
   *  @returns the tools that it puts first, best first; undefined if it has nothing to say. What is not of the search is passed over. */
  order(
    search: Search,
    signal: AbortSignal,
  ): readonly Tool[] | undefined | Promise<readonly Tool[] | undefined>;
  /** Why it puts the tool where it does, in words. */
  explain?(search: Search, tool: Tool): string | undefined;
}
export const SearchOrder = many<SearchOrder>('search-order');
