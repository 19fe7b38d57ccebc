import { ValueType } from '@opentelemetry/api';
import type { HrTime } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import { AggregationTemporality, DataPointType } from '@opentelemetry/sdk-metrics';
import type { CollectionResult, DataPoint, MetricData, MetricProducer } from '@opentelemetry/sdk-metrics';
import { messageOf, VERSION } from 'pegboard';
import type { Log } from 'pegboard';
import type { HistogramSample, Labels, Metric, MetricSource, Sample } from '../../contracts/metrics.ts';
import { labelKey } from '../../kit/metrics/tally.ts';

/** Reads the metrics of all plugins whenever an exporter asks, in OpenTelemetry's data model. The SDK's own instruments are
 *  not used: they export what a removed server had for ever, and cost a microsecond for each value (decision D112). */
export class Collector implements MetricProducer {
  readonly #sources: () => readonly MetricSource[];
  readonly #resource: Resource;
  readonly #maxSeries: () => number;
  readonly #log: Log;
  readonly #worker: () => number | undefined;
  readonly #startTime = now();
  readonly #warned = new Set<string>();
  #dropped = 0;

  /** @param maxSeries maximum number of series of one metric; further ones are left out
   *  @param worker number of this process among those that serve together */
  constructor(
    sources: () => readonly MetricSource[],
    resource: Resource,
    maxSeries: () => number,
    log: Log,
    worker: () => number | undefined = () => undefined,
  ) {
    this.#sources = sources;
    this.#resource = resource;
    this.#maxSeries = maxSeries;
    this.#log = log;
    this.#worker = worker;
  }

  /** Series that were left out, for its own metric. */
  get dropped(): number {
    return this.#dropped;
  }

  collect(): Promise<CollectionResult> {
    const metrics = [...this.#byName().values()].flatMap((same) => this.#dataOf(same));
    const scopeMetrics = [{ scope: { name: 'pegboard', version: VERSION }, metrics }];
    return Promise.resolve({ resourceMetrics: { resource: this.#resource, scopeMetrics }, errors: [] });
  }

  /** Several plugins, such as two vaults, may have series of one metric. */
  #byName(): ReadonlyMap<string, readonly [Metric, ...Metric[]]> {
    const byName = new Map<string, [Metric, ...Metric[]]>();
    for (const source of this.#sources())
      for (const metric of this.#metricsOf(source)) {
        const same = byName.get(metric.name);
        if (same === undefined) byName.set(metric.name, [metric]);
        else if (same[0].kind === metric.kind) same.push(metric);
        else this.#warn(metric, `is a ${metric.kind} of one plugin and a ${same[0].kind} of another`);
      }
    return byName;
  }

  #dataOf([first, ...more]: readonly [Metric, ...Metric[]]): readonly MetricData[] {
    const { name, description, unit, kind } = first;
    const times = { startTime: this.#startTime, endTime: now() };
    const samples = this.#distinct(
      first,
      [first, ...more].flatMap((metric) => this.#read(metric)),
    );
    if (samples.length === 0) return [];
    const kept = samples.slice(0, this.#maxSeries());
    if (kept.length < samples.length) {
      this.#dropped += samples.length - kept.length;
      this.#warn(first, `has ${samples.length} series, more than plugins.metrics.config.maxSeries`);
    }
    const base = {
      descriptor: { name, description, unit, valueType: ValueType.DOUBLE },
      aggregationTemporality: AggregationTemporality.CUMULATIVE,
    };
    const points = (more: Labels = {}): DataPoint<number>[] =>
      (kept as readonly Sample[]).map(({ value, labels }) => ({
        ...times,
        attributes: { ...labels, ...more },
        value,
      }));
    if (kind === 'gauge')
      return [
        { ...base, dataPointType: DataPointType.GAUGE, dataPoints: points(first.adds ? {} : this.#own()) },
      ];
    if (kind === 'counter')
      return [{ ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: points() }];
    const dataPoints = (kept as readonly HistogramSample[]).map((sample) => ({
      ...times,
      attributes: sample.labels ?? {},
      value: distribution(sample),
    }));
    return [{ ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints }];
  }

  #own(): Labels {
    const worker = this.#worker();
    return worker === undefined ? {} : { worker: String(worker) };
  }

  #metricsOf(source: MetricSource): readonly Metric[] {
    try {
      return source.metrics;
    } catch (error) {
      this.#warn({ name: '(of a plugin)' }, `metrics cannot be listed: ${messageOf(error)}`);
      return [];
    }
  }

  /** Prometheus refuses the whole answer if two series have the same labels. */
  #distinct<T extends Sample | HistogramSample>(metric: Metric, samples: readonly T[]): readonly T[] {
    const byKey = new Map<string, T>();
    for (const sample of samples) {
      const key = labelKey(sample.labels ?? {});
      if (byKey.has(key)) this.#warn(metric, 'has two values for the same labels; the first one counts');
      else byKey.set(key, sample);
    }
    return [...byKey.values()];
  }

  #read(metric: Metric): readonly (Sample | HistogramSample)[] {
    try {
      return [...metric.read()];
    } catch (error) {
      this.#warn(metric, `cannot be read: ${messageOf(error)}`);
      return [];
    }
  }

  /** Once for each metric. */
  #warn({ name }: Pick<Metric, 'name'>, problem: string): void {
    if (this.#warned.has(name)) return;
    this.#warned.add(name);
    this.#log.warn('a metric is incomplete', { metric: name, problem });
  }
}

function distribution({ bounds, counts, sum }: HistogramSample) {
  const count = counts.reduce((total, one) => total + one, 0);
  return { buckets: { boundaries: [...bounds], counts: [...counts] }, sum, count };
}

function now(): HrTime {
  const ms = Date.now();
  return [Math.floor(ms / 1_000), (ms % 1_000) * 1_000_000];
}
