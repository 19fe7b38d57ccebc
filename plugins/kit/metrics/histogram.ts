import type { HistogramSample, Labels } from '../../contracts/metrics.ts';
import { labelKey } from './tally.ts';

/** Seconds: from an answer out of memory to a long run; the semantic conventions of OpenTelemetry for MCP begin with 0.01. */
const DURATION_BOUNDS: readonly number[] = [
  0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 300,
];

interface Counted {
  readonly bounds: readonly number[];
  readonly counts: number[];
  sum: number;
  readonly labels: Labels;
}

/** Values by labels; each set of labels has a series for each bound. */
export class Histogram {
  readonly #bounds: readonly number[];
  readonly #counted = new Map<string, Counted>();

  /** @param bounds ascending; default: for seconds */
  constructor(bounds: readonly number[] = DURATION_BOUNDS) {
    this.#bounds = bounds;
  }

  /** @param labels always the same names in the same order */
  record(labels: Labels, value: number): void {
    const key = labelKey(labels);
    let counted = this.#counted.get(key);
    if (counted === undefined) {
      const counts = Array.from({ length: this.#bounds.length + 1 }, () => 0);
      counted = { bounds: this.#bounds, counts, sum: 0, labels };
      this.#counted.set(key, counted);
    }
    const bound = this.#bounds.findIndex((one) => value <= one);
    const at = bound < 0 ? this.#bounds.length : bound;
    counted.counts[at] = (counted.counts[at] ?? 0) + 1;
    counted.sum += value;
  }

  samples(): Iterable<HistogramSample> {
    return this.#counted.values();
  }

  /** Ends the series of what exists no longer. */
  keep(isKept: (labels: Labels) => boolean): void {
    for (const [key, { labels }] of this.#counted) if (!isKept(labels)) this.#counted.delete(key);
  }
}
