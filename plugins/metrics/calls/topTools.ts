import type { Labels, Metric, Sample } from '../contract.ts';
import { Tally } from '../series/tally.ts';

/** What one call adds. */
export interface CallFigures {
  readonly labels: ToolLabels;
  readonly outcome: Outcome;
  readonly seconds: number;
  readonly bytes: number;
}
export type Outcome = 'ok' | 'tool_error' | 'error';
export interface ToolLabels {
  readonly tool: string;
  readonly kind: string;
  readonly server: string;
}

const OTHER: ToolLabels = { tool: 'other', kind: 'other', server: 'other' };
/** How much more often a tool must be called than one with series to take its place. */
const MARGIN = 2;

/** The tools with the most calls have series of their own; all others are counted together. A tool that takes the place of
 *  another begins at 0, and the other's series end: so every series only grows, as Prometheus expects of counters. */
export class TopTools {
  readonly #max: () => number;
  readonly #top = new Map<string, ToolFigures>();
  readonly #other = new ToolFigures(OTHER);
  /** Calls of tools without series. */
  readonly #waiting = new Map<string, number>();

  constructor(max: () => number) {
    this.#max = max;
  }

  add(figures: CallFigures): void {
    const { tool } = figures.labels;
    (this.#top.get(tool) ?? this.#admit(figures.labels) ?? this.#other).add(figures);
  }

  get metrics(): readonly Metric[] {
    const all = (): readonly ToolFigures[] => [...this.#top.values(), this.#other];
    const read = (samples: (figures: ToolFigures) => Iterable<Sample>) => () =>
      all().flatMap((figures) => [...samples(figures)]);
    return [
      {
        name: 'mcp.tool.calls',
        kind: 'counter',
        unit: '{call}',
        description:
          'Calls by server, tool, kind and outcome (ok, tool_error: a result with isError, error).',
        read: read((figures) => figures.calls.samples()),
      },
      {
        name: 'mcp.tool.time',
        kind: 'counter',
        unit: 's',
        description: 'Time spent in calls, by server, tool and kind.',
        read: read(({ labels, seconds }) => [{ labels, value: seconds }]),
      },
      {
        name: 'mcp.tool.result.size',
        kind: 'counter',
        unit: 'By',
        description: 'JSON of the results, by server, tool and kind.',
        read: read(({ labels, bytes }) => [{ labels, value: bytes }]),
      },
    ];
  }

  #admit(labels: ToolLabels): ToolFigures | undefined {
    const { tool } = labels;
    if (this.#top.size >= this.#max() && !this.#replaces(tool)) return undefined;
    const figures = new ToolFigures(labels);
    this.#top.set(tool, figures);
    return figures;
  }

  /** Compares at every doubling only: it looks at all tools with series. */
  #replaces(tool: string): boolean {
    const count = (this.#waiting.get(tool) ?? 0) + 1;
    this.#waiting.set(tool, count);
    if ((count & (count - 1)) !== 0) return false;
    const [first, ...rest] = this.#top.values();
    if (first === undefined) return false;
    const least = rest.reduce((less, one) => (one.count < less.count ? one : less), first);
    if (count < least.count * MARGIN) return false;
    this.#waiting.delete(tool);
    this.#waiting.set(least.labels.tool, least.count);
    this.#top.delete(least.labels.tool);
    return true;
  }
}

class ToolFigures {
  readonly labels: Labels & ToolLabels;
  readonly calls = new Tally();
  count = 0;
  seconds = 0;
  bytes = 0;

  constructor(labels: ToolLabels) {
    this.labels = { ...labels };
  }

  add({ outcome, seconds, bytes }: CallFigures): void {
    this.count += 1;
    this.seconds += seconds;
    this.bytes += bytes;
    this.calls.add({ ...this.labels, outcome });
  }
}
