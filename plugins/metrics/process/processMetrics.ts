import { constants, monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import type { IntervalHistogram } from 'node:perf_hooks';
import type { Metric, Sample } from '../../contracts/metrics.ts';
import { Histogram } from '../../kit/metrics/histogram.ts';

const RESOLUTION_MS = 20;
const NANOSECONDS = 1e9;
/** Readings within this time see the same delays, so that none takes them from another. */
const WINDOW_MS = 10_000;
const GC_KINDS: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
};
const GC_BOUNDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1];

/** This process. Names: OpenTelemetry semantic conventions for process, nodejs and v8js. */
export class ProcessMetrics {
  readonly #delay: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  readonly #collections = new Histogram(GC_BOUNDS);
  readonly #observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { duration, detail } = entry as typeof entry & { readonly detail?: { readonly kind?: number } };
      const { kind = 0 } = detail ?? {};
      this.#collections.record({ 'v8js.gc.type': GC_KINDS[kind] ?? 'other' }, duration / 1_000);
    }
  });

  #measured: readonly Sample[] = [];
  #measuredAt = 0;

  start(): void {
    this.#delay.enable();
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  stop(): void {
    this.#delay.disable();
    this.#observer.disconnect();
  }

  get metrics(): readonly Metric[] {
    return [
      {
        name: 'process.cpu.time',
        kind: 'counter',
        unit: 's',
        description: 'CPU time of Pegboard itself.',
        read: () => {
          const { user, system } = process.cpuUsage();
          return [
            { value: user / 1e6, labels: { 'cpu.mode': 'user' } },
            { value: system / 1e6, labels: { 'cpu.mode': 'system' } },
          ];
        },
      },
      {
        name: 'process.memory.usage',
        kind: 'gauge',
        unit: 'By',
        description: 'Resident memory of Pegboard itself.',
        read: () => [{ value: process.memoryUsage.rss() }],
      },
      {
        name: 'v8js.memory.heap.used',
        kind: 'gauge',
        unit: 'By',
        description: 'Heap in use.',
        read: () => [{ value: process.memoryUsage().heapUsed }],
      },
      {
        name: 'v8js.gc.duration',
        kind: 'histogram',
        unit: 's',
        description: 'Pauses of the garbage collection.',
        read: () => this.#collections.samples(),
      },
      {
        name: 'nodejs.eventloop.delay',
        kind: 'gauge',
        unit: 's',
        description:
          'How late timers were since the last reading that was ten seconds or more before, by quantile.',
        read: () => this.#delays(),
      },
    ];
  }

  /** Delays of timers in s, by quantile. */
  #delays(): readonly Sample[] {
    const now = performance.now();
    if (this.#measured.length > 0 && now - this.#measuredAt < WINDOW_MS) return this.#measured;
    const at = (quantile: string, nanoseconds: number): Sample => ({
      value: Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MS / 1_000),
      labels: { quantile },
    });
    const { max, exceeds } = this.#delay;
    const isMeasured = max > 0 || exceeds > 0;
    this.#measuredAt = now;
    this.#measured = isMeasured
      ? [at('0.5', this.#delay.percentile(50)), at('0.99', this.#delay.percentile(99)), at('1', max)]
      : [];
    this.#delay.reset();
    return this.#measured;
  }
}
