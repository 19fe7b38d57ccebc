import type { Call, InboundRequest, JsonObject, KernelEvent } from 'pegboard';
import { callerKey } from '../../kit/authority/ownerOf.ts';
import { isAsked } from '../../kit/calls/isAsked.ts';
import { setNewest } from '../../kit/limits/setNewest.ts';
import type { Metric } from '../../contracts/metrics.ts';

const WINDOW_MS = 300_000;
const MAX_ASKERS = 10_000;
/** Number of searches that are kept for one asker: the newest. */
const MAX_OPEN = 20;

interface Search {
  readonly at: number;
  /** What it showed. */
  readonly tools: readonly string[];
}

/** Whether agents call what they find: a search is a hit if one of the tools it showed is called within five minutes, by the same
 *  session, caller or owner. */
export class SearchMetrics {
  readonly #now: () => number;
  readonly #open = new Map<string, readonly Search[]>();
  #searches = 0;
  #hits = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  take(event: KernelEvent): void {
    if (event.type === 'tools.found') this.#found(event.request, event.tools);
    else if (event.type === 'call.settled' && isAsked(event.call)) this.#called(event.call);
  }

  get metrics(): readonly Metric[] {
    return [
      {
        name: 'pegboard.search.searches',
        kind: 'counter',
        unit: '{search}',
        description: 'Answers of filter_tools, to clients with a session, a caller or an owner handle.',
        read: () => [{ value: this.#searches }],
      },
      {
        name: 'pegboard.search.hits',
        kind: 'counter',
        unit: '{search}',
        description: 'Those of which a tool was called within five minutes.',
        read: () => [{ value: this.#hits }],
      },
    ];
  }

  #found(request: InboundRequest, found: readonly JsonObject[]): void {
    const asker = askerOf(request);
    if (asker === undefined) return;
    this.#searches += 1;
    const search = { at: this.#now(), tools: found.map(({ name }) => String(name)) };
    setNewest(this.#open, [asker, [...this.#openOf(asker), search].slice(-MAX_OPEN)], MAX_ASKERS);
  }

  /** The newest search that showed the tool has led to the call. */
  #called({ tool, request }: Call): void {
    const asker = askerOf(request);
    if (asker === undefined || !this.#open.has(asker)) return;
    const open = this.#openOf(asker);
    const hit = open.findLast(({ tools }) => tools.includes(tool.name));
    if (hit !== undefined) this.#hits += 1;
    const rest = open.filter((search) => search !== hit);
    if (rest.length === 0) this.#open.delete(asker);
    else this.#open.set(asker, rest);
  }

  #openOf(asker: string): readonly Search[] {
    const since = this.#now() - WINDOW_MS;
    return (this.#open.get(asker) ?? []).filter(({ at }) => at >= since);
  }
}

function askerOf({ sessionId, caller, anonymousOwner }: InboundRequest): string | undefined {
  return sessionId ?? callerKey(caller) ?? anonymousOwner;
}
