import { GatewayError } from 'pegboard';
import type { JsonObject, Scope, Tool } from 'pegboard';
import type { Search } from '../../contracts/search.ts';
import type { Items } from '../entry/entryPage.ts';
import { clausesOf } from '../search/clausesOf.ts';
import { askOrders, fuseOrders } from '../search/fuseOrders.ts';
import { inTurn } from '../search/ranker.ts';
import type { Hit, Hits, Ranker, Ranking } from '../search/ranker.ts';
import { optionalText } from './arguments.ts';

/** Number of tools for each of several needs. */
export const PER_NEED = 3;
const MAX_QUERIES = 8;
/** Tools of an answer with all that their call takes. */
const MAX_READY = 3;

/** The searched texts of `query` or `queries`, each cut to a length; none if both are absent.
 *  @throws GatewayError TOOL_ARGUMENTS */
export function readQueries(args: JsonObject, maxChars: number): readonly string[] {
  const { queries } = args;
  const query = optionalText(args, 'query');
  if (queries === undefined) return query === undefined ? [] : [query.slice(0, maxChars)];
  if (query !== undefined)
    throw new GatewayError(
      'TOOL_ARGUMENTS',
      'query and queries exclude each other; put all needs into queries',
    );
  if (!Array.isArray(queries) || !queries.every(isText))
    throw new GatewayError(
      'TOOL_ARGUMENTS',
      'queries must be an array of texts that are not empty, one for each need, for example ["create a branch", "open a pull request"]',
    );
  if (queries.length > MAX_QUERIES)
    throw new GatewayError(
      'TOOL_ARGUMENTS',
      `queries has ${queries.length} texts; at most ${MAX_QUERIES} are allowed`,
    );
  return queries.map((one) => one.slice(0, maxChars));
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** What is found for each query by words, and in the orders of other plugins. */
export async function rankingsOf(
  scope: Scope<unknown>,
  ranker: Ranker,
  queries: readonly string[],
  { tools, request, generation }: Pick<Search, 'tools' | 'request'> & { readonly generation: number },
): Promise<readonly Ranking[]> {
  const orders = queries.map((query) =>
    askOrders(scope, { query, clauses: clausesOf(query), tools, request }),
  );
  const rankings = await ranker.rankAll(queries, tools, generation);
  const fused = rankings.map(async (ranking, at) => {
    const others = await orders[at];
    if (others === undefined) return ranking;
    const hits = fuseOrders(ranking, others, tools);
    // It was judged for the first tool by words.
    return { ...ranking, hits, isSure: ranking.isSure && firstOf(hits) === firstOf(ranking.hits) };
  });
  return Promise.all(fused);
}

function firstOf(hits: Hits): Tool | undefined {
  return hits.slice(0, 1)[0]?.tool;
}

/** The hits of one need, or of several in turn; undefined if nothing was searched. */
export function hitsOf(rankings: readonly Ranking[]): Items<Hit> | undefined {
  const [only, ...others] = rankings;
  return others.length === 0 ? only?.hits : inTurn(rankings);
}

/** The best tools of the first needs that have a confident match. */
export function readyTools(rankings: readonly Ranking[]): readonly Tool[] {
  const best = rankings.filter(({ isSure }) => isSure).map(({ hits }) => firstOf(hits));
  return [...new Set(best)].filter((tool) => tool !== undefined).slice(0, MAX_READY);
}

/** Whether all needs have a confident match, and the words without any match, if there are some. */
export function confidenceOf(rankings: readonly Ranking[]): JsonObject {
  if (rankings.length === 0) return {};
  const unmatched = [...new Set(rankings.flatMap((ranking) => ranking.unmatched))];
  return {
    confident: rankings.every(({ isSure }) => isSure),
    ...(unmatched.length > 0 && { query_unmatched: unmatched }),
  };
}

/** What was found for each need, by the names of tools of the page. */
export function needsOf(
  queries: readonly string[],
  rankings: readonly Ranking[],
  entries: readonly JsonObject[],
): readonly JsonObject[] {
  const shown = new Set(entries.map(({ name }) => name));
  return rankings.map(({ hits, isSure }, at) => {
    const names = hits.slice(0, PER_NEED).map(({ tool }) => tool.name);
    return { query: queries[at], confident: isSure, tools: names.filter((name) => shown.has(name)) };
  });
}
