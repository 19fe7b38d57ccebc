import { many } from 'pegboard';

export type Labels = Readonly<Record<string, string>>;

/** One series of a metric, as it is now. */
export interface Sample {
  readonly value: number;
  /** Few values each, known in advance or bounded by what exists (servers, tools): never what a client sends. */
  readonly labels?: Labels;
}

/** Counts of values up to each bound, as Prometheus and OpenTelemetry have them. */
export interface HistogramSample {
  /** Upper bounds, ascending, without infinity. */
  readonly bounds: readonly number[];
  /** One more than bounds. */
  readonly counts: readonly number[];
  readonly sum: number;
  readonly labels?: Labels;
}

interface Described {
  /** Lower case with dots: `pegboard.upstream.up`. Prometheus shows dots as underscores, and appends unit and `_total`. */
  readonly name: string;
  /** A sentence. */
  readonly description: string;
  /** The unit in UCUM: `s`, `By`, `1`, or a noun in braces such as `{call}`. */
  readonly unit: string;
}

/** A metric is read when an exporter asks for it, and costs nothing in between. What a server or tool had is gone with it: a
 *  series that is no longer read is no longer exported. */
export type Metric = Described &
  (
    | { readonly kind: 'counter'; read(): Iterable<Sample> }
    | {
        readonly kind: 'gauge';
        /** Whether the values of all workers are added up, as of calls under way; else each has a label `worker`. */
        readonly adds?: boolean;
        read(): Iterable<Sample>;
      }
    | { readonly kind: 'histogram'; read(): Iterable<HistogramSample> }
  );

/** Metrics of a plugin, provided in its apply(). `Tally` and `Histogram` count for it. */
export interface MetricSource {
  readonly metrics: readonly Metric[];
}
export const MetricSource = many<MetricSource>('metric-source');
