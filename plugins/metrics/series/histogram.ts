import type { HistogramSample, Labels } from '../contract.ts';
import { keyOf } from './tally.ts';

/** Seconds: from an answer out of memory to a long run. Source: OpenTelemetry semantic conventions for MCP, whose smallest is 0.01. */
export const DURATION_BOUNDS: readonly number[] = [
  0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 300,
];

interface Counted {
  readonly bounds: readonly number[];
  readonly counts: number[];
  sum: number;
  readonly labels: Labels;
}

/** Values by one set of labels. */
export class Histogram {
  readonly #bounds: readonly number[];
  readonly #counted = new Map<string, Counted>();

  constructor(bounds: readonly number[] = DURATION_BOUNDS) {
    this.#bounds = bounds;
  }

  record(labels: Labels, value: number): void {
    const key = keyOf(labels);
    let counted = this.#counted.get(key);
    if (counted === undefined) {
      const counts = Array.from({ length: this.#bounds.length + 1 }, () => 0);
      counted = { bounds: this.#bounds, counts, sum: 0, labels };
      this.#counted.set(key, counted);
    }
    let at = 0;
    while (at < this.#bounds.length && value > this.#bounds[at]!) at += 1;
    counted.counts[at]! += 1;
    counted.sum += value;
  }

  samples(): Iterable<HistogramSample> {
    return this.#counted.values();
  }
}
