import { DataPointType } from '@opentelemetry/sdk-metrics';
import type { CollectionResult, MetricData, MetricProducer } from '@opentelemetry/sdk-metrics';
import { waitAtMost } from 'pegboard';
import type { Log } from 'pegboard';
import type { WorkerLine } from '../../contracts/processes.ts';
import { metricsOf, seriesOf, sumOf } from './sumMetrics.ts';
import type { Series } from './sumMetrics.ts';
import { TOPIC } from './tellMetrics.ts';
import type { ToldMetrics } from './tellMetrics.ts';

const ANSWER_MS = 1_000;

interface Asked {
  readonly round: number;
  readonly missing: Set<number>;
  readonly answered: Set<number>;
  readonly end: () => void;
}
interface Ended extends Series {
  /** Whether a process that runs has had this series, too. */
  isShared: boolean;
}

/** The metrics of all workers as those of one process: each is asked when a scraper asks, and its last counters stay when it ends. */
export class TeamMetrics implements MetricProducer {
  readonly #own: MetricProducer;
  readonly #line: () => WorkerLine | undefined;
  readonly #log: Log;
  readonly #told = new Map<number, ToldMetrics>();
  readonly #asked = new Set<Asked>();
  readonly #late = new Set<number>();
  #ended = new Map<string, Ended>();
  #round = 0;
  #joined: WorkerLine | undefined;
  #leave: (() => void) | undefined;

  constructor(own: MetricProducer, line: () => WorkerLine | undefined, log: Log) {
    this.#own = own;
    this.#line = line;
    this.#log = log;
  }

  /** Takes what workers tell. */
  join(): WorkerLine | undefined {
    const line = this.#line();
    if (line === this.#joined) return line;
    this.leave();
    this.#joined = line;
    this.#leave = line?.answer(TOPIC, (told, from) => this.#take(told as ToldMetrics, from));
    return line;
  }

  leave(): void {
    this.#leave?.();
    this.#joined = undefined;
  }

  async collect(): Promise<CollectionResult> {
    const line = this.join();
    const answered = line === undefined ? new Set<number>() : await this.#ask(line);
    const { resourceMetrics, errors } = await this.#own.collect();
    const [own] = resourceMetrics.scopeMetrics;
    if (own === undefined || this.#told.size === 0) return { resourceMetrics, errors };
    const told = [...this.#told].map(([number, { metrics }]) =>
      // What has not answered may have ended: its calls under way are not known.
      seriesOf(answered.has(number) ? metrics : metrics.filter(isCounted)),
    );
    const living = sumOf([seriesOf(own.metrics), ...told]);
    this.#forget(living);
    const scopeMetrics = [{ scope: own.scope, metrics: metricsOf(sumOf([living, this.#ended])) }];
    return { resourceMetrics: { ...resourceMetrics, scopeMetrics }, errors };
  }

  /** @returns the numbers of those that have answered in time */
  async #ask(line: WorkerLine): Promise<ReadonlySet<number>> {
    const round = (this.#round += 1);
    const missing = new Set(line.living());
    const answered = new Set<number>();
    if (missing.size === 0) return answered;
    let asked: Asked | undefined;
    const all = new Promise<void>((end) => {
      asked = { round, missing, answered, end };
      this.#asked.add(asked);
    });
    line.tell({ topic: TOPIC, round });
    await waitAtMost(ANSWER_MS, all);
    if (asked !== undefined) this.#asked.delete(asked);
    for (const worker of missing)
      if (!this.#late.has(worker))
        this.#log.warn('a worker does not tell its metrics; its last counters count', { worker });
    for (const worker of missing) this.#late.add(worker);
    for (const worker of answered) this.#late.delete(worker);
    return answered;
  }

  #take(told: ToldMetrics, from: number): void {
    const before = this.#told.get(from);
    if (before !== undefined && before.id !== told.id) this.#end(before.metrics);
    this.#told.set(from, told);
    for (const asked of this.#asked) {
      if (told.round !== undefined && told.round < asked.round) continue;
      asked.missing.delete(from);
      asked.answered.add(from);
      if (asked.missing.size === 0) asked.end();
    }
  }

  /** Counters never go down: those of a process that has ended are added to those of the one in its place. */
  #end(metrics: readonly MetricData[]): void {
    const sums = sumOf([this.#ended, seriesOf(metrics.filter(isCounted))]);
    this.#ended = new Map([...sums].map(([key, one]) => [key, { ...one, isShared: false }]));
  }

  /** The series of a server end with its definition, wherever it ran. */
  #forget(living: ReadonlyMap<string, Series>): void {
    for (const [key, ended] of this.#ended)
      if (living.has(key)) ended.isShared = true;
      else if (ended.isShared) this.#ended.delete(key);
  }
}

function isCounted({ dataPointType }: MetricData): boolean {
  return dataPointType !== DataPointType.GAUGE;
}
