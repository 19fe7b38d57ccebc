import { setNewest } from '../../kit/limits/setNewest.ts';
import type { Labels, Metric, Sample } from '../../contracts/metrics.ts';

/** What one call adds. */
export interface CallFigures {
  readonly labels: ToolLabels;
  readonly outcome: OutcomeLabel;
  readonly seconds: number;
  readonly bytes: number;
}
export type OutcomeLabel = 'ok' | 'tool_error' | 'error';
export interface ToolLabels {
  readonly tool: string;
  readonly kind: string;
  readonly server: string;
}

const OTHER = 'other';
/** How much more often a tool must be called than one with series to take its place. */
const MARGIN = 2;
const MAX_WAITING = 20_000;

/** A tool without series at present. */
interface Waiting {
  readonly calls: number;
  /** What its series had reached, if it had some: they continue from there. */
  readonly figures?: ToolFigures;
}

/** The tools with the most calls have series of their own; all others are counted together. A series ends when another tool takes
 *  its place, and continues where it was if it returns: it never falls, as Prometheus expects of counters. */
export class TopTools {
  readonly #max: () => number;
  readonly #top = new Map<string, ToolFigures>();
  readonly #other = new ToolFigures({ tool: OTHER, kind: OTHER, server: OTHER });
  readonly #waiting = new Map<string, Waiting>();

  constructor(max: () => number) {
    this.#max = max;
  }

  add(call: CallFigures): void {
    const own = this.#top.get(call.labels.tool) ?? this.#admit(call.labels);
    if (own !== undefined) own.calls += 1;
    (own ?? this.#other).add(call);
  }

  /** Ends the series of a server's tools. */
  forget(server: string): void {
    for (const [tool, { labels }] of this.#top) if (labels.server === server) this.#top.delete(tool);
    for (const [tool, { figures }] of this.#waiting)
      if (figures?.labels.server === server) this.#waiting.delete(tool);
  }

  get metrics(): readonly Metric[] {
    const read = (samples: (figures: ToolFigures) => Iterable<Sample>) => () =>
      this.#all().flatMap((figures) => [...samples(figures)]);
    return [
      {
        name: 'pegboard.tool.calls',
        kind: 'counter',
        unit: '{call}',
        description:
          'Calls by server, tool, kind and outcome (ok, tool_error: a result with isError, error).',
        read: read((figures) => figures.outcomes()),
      },
      {
        name: 'pegboard.tool.time',
        kind: 'counter',
        unit: 's',
        description: 'Time spent in calls, by server, tool and kind.',
        read: read(({ labels, seconds }) => [{ labels, value: seconds }]),
      },
      {
        name: 'pegboard.tool.result.size',
        kind: 'counter',
        unit: 'By',
        description: 'JSON of the results, by server, tool and kind.',
        read: read(({ labels, bytes }) => [{ labels, value: bytes }]),
      },
    ];
  }

  #all(): readonly ToolFigures[] {
    // The configuration may allow fewer than before.
    while (this.#top.size > this.#max()) this.#retire(this.#least());
    return [...this.#top.values(), this.#other];
  }

  #admit(labels: ToolLabels): ToolFigures | undefined {
    const { tool } = labels;
    const { calls, figures } = this.#waiting.get(tool) ?? { calls: 0 };
    if (this.#top.size >= this.#max() && !this.#replaces(calls + 1)) {
      setNewest(this.#waiting, [tool, { calls: calls + 1, ...(figures && { figures }) }], MAX_WAITING);
      return undefined;
    }
    this.#waiting.delete(tool);
    const own = figures ?? new ToolFigures(labels);
    own.calls = calls;
    this.#top.set(tool, own);
    return own;
  }

  /** Compares at every doubling only: it looks at all tools with series. @param calls of a tool without */
  #replaces(calls: number): boolean {
    if ((calls & (calls - 1)) !== 0) return false;
    const least = this.#least();
    if (least === undefined || calls < least.calls * MARGIN) return false;
    this.#retire(least);
    return true;
  }

  #least(): ToolFigures | undefined {
    let least: ToolFigures | undefined;
    for (const one of this.#top.values()) if (least === undefined || one.calls < least.calls) least = one;
    return least;
  }

  #retire(figures: ToolFigures | undefined): void {
    if (figures === undefined) return;
    const { tool } = figures.labels;
    this.#top.delete(tool);
    setNewest(this.#waiting, [tool, { calls: figures.calls, figures }], MAX_WAITING);
  }
}

class ToolFigures {
  readonly labels: Labels & ToolLabels;
  /** Also those that were counted as other. */
  calls = 0;
  seconds = 0;
  bytes = 0;
  readonly #outcomes: Record<OutcomeLabel, number> = { ok: 0, tool_error: 0, error: 0 };

  constructor(labels: ToolLabels) {
    this.labels = { ...labels };
  }

  add({ outcome, seconds, bytes }: CallFigures): void {
    this.seconds += seconds;
    this.bytes += bytes;
    this.#outcomes[outcome] += 1;
  }

  *outcomes(): Iterable<Sample> {
    for (const [outcome, value] of Object.entries(this.#outcomes))
      if (value > 0) yield { labels: { ...this.labels, outcome }, value };
  }
}
