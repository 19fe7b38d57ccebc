import { ConfigControl } from 'pegboard';
import type { Scope, Tool } from 'pegboard';
import { MetricSource } from '../contracts/metrics.ts';
import { SearchOrder } from '../contracts/search.ts';
import type { Search } from '../contracts/search.ts';
import { Tally } from '../kit/metrics/tally.ts';
import type { SearchSemanticConfig } from './config.ts';
import type { Embedder } from './embedder.ts';
import { HttpEmbedder } from './httpEmbedder.ts';
import { LocalEmbedder } from './localEmbedder.ts';
import { nearest } from './nearest.ts';
import { QueryVectors } from './queryVectors.ts';
import { ToolVectors } from './toolVectors.ts';

/** How many of the nearest tools are fused with those found by words. */
const COUNT = 30;

export function apply(scope: Scope<SearchSemanticConfig>): void {
  const searches = new Tally();
  const embedder = openEmbedder(scope);
  const vectors = new ToolVectors(scope, embedder);
  const queries = new QueryVectors(embedder, scope.config.maxQueries, scope.signal);
  const ordered = async (
    { query, clauses, tools }: Search,
    signal: AbortSignal,
  ): Promise<readonly Tool[] | undefined> => {
    if (vectors.size === 0) {
      vectors.notice(tools);
      return undefined;
    }
    const texts = await queries.of(clauses.length > 0 ? clauses : [query]);
    if (texts === undefined) return undefined;
    const lists: (readonly Tool[])[] = [];
    for (const vector of texts) {
      const found = await nearest(vector, tools, {
        count: COUNT,
        vectorOf: (tool) => vectors.of(tool),
        signal,
      });
      if (found === undefined) return undefined;
      if (lists.length === 0) vectors.notice(found.unknown);
      lists.push(found.tools);
    }
    return inTurn(lists);
  };
  scope.provide(SearchOrder, {
    name: 'search-semantic',
    waitMs: scope.config.waitMs,
    order: async (search, signal) => {
      let outcome = 'failed';
      try {
        const tools = await ordered(search, signal);
        outcome = signal.aborted ? 'late' : tools === undefined ? 'none' : 'fused';
        return tools;
      } finally {
        searches.add({ outcome });
      }
    },
  });
  scope.provide(MetricSource, {
    metrics: [
      {
        name: 'pegboard.search.semantic.searches',
        kind: 'counter',
        unit: '{search}',
        description: 'Searches by outcome: fused, late, failed, none (no vectors, or too many at a time).',
        read: () => searches.samples(),
      },
      {
        name: 'pegboard.search.semantic.texts',
        kind: 'gauge',
        unit: '{text}',
        description: 'Texts of tools by state: embedded, waiting.',
        read: () => [
          { value: vectors.size, labels: { state: 'embedded' } },
          { value: vectors.waiting, labels: { state: 'waiting' } },
        ],
      },
    ],
  });
  scope.tap('onEvent', ({ type }) => {
    if (type === 'catalogue.changed') vectors.refresh();
  });
  scope.onStart(() => vectors.start());
  scope.onStop(async () => {
    await Promise.all([vectors.end(), embedder.close?.()]);
  });
}

/** The first of each list, then the second of each, without repetitions. */
function inTurn(lists: readonly (readonly Tool[])[]): readonly Tool[] {
  const ranks = Array.from({ length: COUNT }, (_, rank) => lists.flatMap((tools) => tools[rank] ?? []));
  return [...new Set(ranks.flat())].slice(0, COUNT);
}

function openEmbedder(scope: Scope<SearchSemanticConfig>): Embedder {
  const control = (): ConfigControl => scope.get(ConfigControl);
  if (scope.config.folder !== undefined)
    return new LocalEmbedder(
      () => scope.config,
      () => control().directory,
    );
  return new HttpEmbedder({
    config: () => scope.config,
    directory: () => control().directory,
    network: () => control().settings().aggregator,
    log: scope.log,
  });
}
