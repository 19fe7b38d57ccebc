import { messageOf } from 'pegboard';
import type { Scope, Tool } from 'pegboard';
import { SearchOrder } from '../../contracts/search.ts';
import type { Search } from '../../contracts/search.ts';
import type { Hit, Hits, Ranking } from './ranker.ts';

const WAIT_MS = 50;
/** How many of each list are fused; those behind keep their order. */
const DEEPEST = 60;
/** Less than the usual 60, so that first ranks count more: better on public sets. Source: https://plg.uwaterloo.ca/~gvcormac/cormacksigir09-rrf.pdf */
const SMOOTHING = 10;
/** Weight of an order where words alone are confident; else 1. */
const BESIDE_SURE = 0.3;

/** The orders of other plugins for a search, as far as they come in time; undefined if there is no such plugin. */
export function askOrders(
  scope: Scope<unknown>,
  search: Search,
): Promise<readonly (readonly Tool[])[]> | undefined {
  const sources = scope.all(SearchOrder);
  if (sources.length === 0) return undefined;
  return Promise.all(sources.map((source) => askOrder(scope, source, search)));
}

async function askOrder(
  { log }: Scope<unknown>,
  source: SearchOrder,
  search: Search,
): Promise<readonly Tool[]> {
  const late = new AbortController();
  const lateness = new Promise<undefined>((resolve) => {
    late.signal.addEventListener('abort', () => resolve(undefined));
  });
  const timer = setTimeout(() => late.abort(), source.waitMs ?? WAIT_MS);
  try {
    const order = Promise.resolve(source.order(search, late.signal));
    const answer: unknown = await Promise.race([order, lateness]);
    return Array.isArray(answer) ? (answer as readonly Tool[]) : [];
  } catch (error) {
    log.debug('a search continues without an order', { order: source.name, reason: messageOf(error) });
    return [];
  } finally {
    clearTimeout(timer);
  }
}

/** The hits by words and the orders of other plugins as one list, by reciprocal ranks. @param tools what may be shown */
export function fuseOrders(
  { hits, isSure }: Pick<Ranking, 'hits' | 'isSure'>,
  orders: readonly (readonly Tool[])[],
  tools: readonly Tool[],
): Hits {
  const given = orders.map((order) => knownIn(order, tools)).filter((order) => order.length > 0);
  if (given.length === 0) return hits;
  const lexical = hits.slice(0, DEEPEST).map(({ tool }) => tool);
  const weight = isSure ? BESIDE_SURE : 1;
  const whole = 1 + weight * given.length;
  const shares = new Map<Tool, number>();
  const add = (list: readonly Tool[], worth: number): void => {
    for (const [at, tool] of list.entries())
      shares.set(tool, (shares.get(tool) ?? 0) + (worth * shareAt(at)) / whole);
  };
  add(lexical, 1);
  for (const order of given) add(order, weight);
  // Sorting is stable, so of equal ones those found by words are first.
  const first = [...shares].sort(([, a], [, b]) => b - a).map(([tool, share]) => hitOf(tool, share));
  const rest = (): readonly Hit[] =>
    hits
      .slice(DEEPEST, hits.length)
      .map(({ tool }, at) => hitOf(tool, shareAt(DEEPEST + at) / whole))
      .filter(({ tool }) => !shares.has(tool));
  const added = first.filter(({ tool }) => !hits.has(tool)).length;
  return {
    length: hits.length + added,
    // Most pages end among the first, so the others are not sorted for them.
    slice: (from, to) => (to <= first.length ? first : [...first, ...rest()]).slice(from, to),
    has: (tool) => shares.has(tool) || hits.has(tool),
  };
}

/** Those of an order that count: the first that are among the tools, each once. */
export function knownIn(order: readonly Tool[], tools: readonly Tool[]): readonly Tool[] {
  const wanted = new Set(order.slice(0, DEEPEST));
  const known = new Set(tools.filter((tool) => wanted.has(tool)));
  return [...wanted].filter((tool) => known.has(tool));
}

/** The share of a rank, from 0; 1 for the first. */
function shareAt(rank: number): number {
  return (SMOOTHING + 1) / (SMOOTHING + 1 + rank);
}

function hitOf(tool: Tool, score: number): Hit {
  return { tool, score: Math.round(score * 10_000) / 10_000 };
}
