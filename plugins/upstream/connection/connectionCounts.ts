import { Histogram } from '../../kit/metrics/histogram.ts';
import type { HistogramSample, Labels } from '../../contracts/metrics.ts';

/** Seconds. Few: each server has a series for each. */
const CONNECT_BOUNDS = [0.1, 0.5, 1, 2, 5, 10, 30, 60];

/** What has happened to one connection to a server since its definition was added. */
export class ConnectionCounts {
  #requested = 0;
  #automatic = 0;
  #losses = 0;
  /** Undefined before the first connection: one server may have tens of thousands of these objects. */
  #connects: Histogram | undefined;

  /** Begun anew, by request or by itself after a loss or a failure. */
  restarted(cause: 'requested' | 'automatic'): void {
    if (cause === 'requested') this.#requested += 1;
    else this.#automatic += 1;
  }
  lost(): void {
    this.#losses += 1;
  }
  /** @param ms from the greeting to the lists */
  connected(ms: number): void {
    this.#connects ??= new Histogram(CONNECT_BOUNDS);
    this.#connects.record({}, ms / 1_000);
  }

  get requested(): number {
    return this.#requested;
  }
  get automatic(): number {
    return this.#automatic;
  }
  get losses(): number {
    return this.#losses;
  }
  connects(labels: Labels): readonly HistogramSample[] {
    return [...(this.#connects?.samples() ?? [])].map((sample) => ({ ...sample, labels }));
  }
}
