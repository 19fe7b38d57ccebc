import { ToolTable } from 'pegboard';
import type { InboundRequest, JsonObject, Scope } from 'pegboard';
import { SearchOrder } from '../../contracts/search.ts';
import { clausesOf } from '../search/clausesOf.ts';
import { askOrders, fuseOrders, knownIn } from '../search/fuseOrders.ts';
import type { Ranker } from '../search/ranker.ts';

/** Ranks that are told; so many are found without sorting all. */
const RANKED = 60;

interface Asked {
  readonly name: string;
  readonly query: string;
  readonly request: InboundRequest;
}

/** Where a search without filters ranks a visible tool, by words and by each order of another plugin. */
export async function explainSearch(
  scope: Scope<unknown>,
  ranker: Ranker,
  { name, query, request }: Asked,
): Promise<JsonObject> {
  const table = scope.get(ToolTable);
  const { generation } = table;
  const tools = table.visibleTo(request);
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) return {};
  const search = { query, clauses: clausesOf(query), tools, request };
  const sources = scope.all(SearchOrder);
  const asked = askOrders(scope, search);
  const ranking = await ranker.rank(query, tools, generation);
  const { hits } = ranking;
  const orders = ((await asked) ?? []).map((order) => knownIn(order, tools));
  const placed = fuseOrders(ranking, orders, tools);
  const rankIn = (list: readonly unknown[]): number | null => list.indexOf(tool) + 1 || null;
  const toolsOf = (found: typeof hits): readonly unknown[] => found.slice(0, RANKED).map((hit) => hit.tool);
  return {
    search: {
      query,
      rank: rankIn(toolsOf(placed)),
      words: rankIn(toolsOf(hits)),
      ...(sources.length > 0 && {
        orders: sources.map((source, at) => {
          const why = source.explain?.(search, tool);
          return { name: source.name, rank: rankIn(orders[at] ?? []), ...(why !== undefined && { why }) };
        }),
      }),
    },
  };
}
