import type { Call, KernelEvent, Scope } from 'pegboard';
import { SearchOrder } from '../contracts/search.ts';
import type { Search } from '../contracts/search.ts';
import { knownOwner } from '../kit/authority/ownerOf.ts';
import { isAsked } from '../kit/calls/isAsked.ts';
import { recentlyUsed } from '../kit/limits/recentlyUsed.ts';
import { setNewest } from '../kit/limits/setNewest.ts';
import type { SearchLearnedConfig } from './config.ts';
import { KeptSearches } from './keptSearches.ts';
import { LearnedSearches } from './learnedSearches.ts';
import { wordsIn } from './wordsIn.ts';

/** Tools that are put forward at most. A tool that is first without them is third then at worst, whatever was called. */
const MOST = 2;
const HOUR_MS = 3_600_000;
const MAX_COUNTED = 10_000;
const MAX_ASKERS = 10_000;
/** Number of searches that are kept for one asker: the newest. */
const MAX_OPEN = 10;
/** Tools of a search that are remembered. */
const MAX_SHOWN = 50;

/** A search whose outcome is not known yet. */
interface Open {
  readonly at: number;
  readonly words: readonly string[];
  readonly tools: ReadonlySet<string>;
}

export function apply(scope: Scope<SearchLearnedConfig>): void {
  const learned = new LearnedSearches(() => scope.config.maxSearches);
  const kept = new KeptSearches(scope, learned);
  const open = new Map<string, readonly Open[]>();
  const counted = recentlyUsed<true>(MAX_COUNTED, HOUR_MS);

  const openOf = (asker: string): readonly Open[] => {
    const since = performance.now() - scope.config.windowMs;
    return (open.get(asker) ?? []).filter(({ at }) => at >= since);
  };
  const found = ({ request, tools, query }: KernelEvent<'tools.found'>): void => {
    const asker = knownOwner(request);
    const words = query === undefined ? [] : wordsIn(query);
    if (asker === undefined || words.length === 0) return;
    const names = new Set(tools.slice(0, MAX_SHOWN).map(({ name }) => String(name)));
    const search = { at: performance.now(), words, tools: names };
    setNewest(open, [asker, [...openOf(asker), search].slice(-MAX_OPEN)], MAX_ASKERS);
  };
  /** The newest search that showed the tool has led to the call. */
  const called = ({ tool, request }: Call): void => {
    const asker = knownOwner(request);
    if (asker === undefined) return;
    // A search shows a family of tools by one name.
    const { name } = tool.group ?? tool;
    const search = openOf(asker).findLast(({ tools }) => tools.has(name));
    if (search === undefined) return;
    const pair = JSON.stringify([asker, search.words, name]);
    if (counted.has(pair)) return;
    counted.set(pair, true);
    const { key, forgotten } = learned.add(search.words, name);
    kept.write(key, forgotten);
  };
  const learnedFor = ({ query }: Search): readonly { readonly tool: string; readonly calls: number }[] =>
    learned.after(wordsIn(query)).filter(({ calls }) => calls >= scope.config.minCalls);

  scope.provide(SearchOrder, {
    name: scope.name,
    order: (search) => {
      const ranks = new Map(learnedFor(search).map(({ tool }, rank) => [tool, rank]));
      if (ranks.size === 0) return undefined;
      const tools = search.tools.filter(({ name }) => ranks.has(name));
      return tools.sort((a, b) => (ranks.get(a.name) ?? 0) - (ranks.get(b.name) ?? 0)).slice(0, MOST);
    },
    explain: (search, { name }) => {
      const calls = learnedFor(search).find(({ tool }) => tool === name)?.calls;
      return calls === undefined ? undefined : `called ${calls} times after such searches`;
    },
  });
  scope.tap('onEvent', (event) => {
    if (event.type === 'tools.found') found(event);
    else if (event.type === 'call.settled' && event.outcome === 'ok' && isAsked(event.call))
      called(event.call);
  });
  scope.onStart(() => void kept.read());
  scope.onStop(() => kept.written());
  scope.onReload(() => undefined);
}
