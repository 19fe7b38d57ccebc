import { isDeepStrictEqual } from 'node:util';
import type { DataPoint, Histogram, MetricData } from '@opentelemetry/sdk-metrics';
import type { Labels } from '../../contracts/metrics.ts';
import { labelKey } from '../../kit/metrics/tally.ts';

type Value = number | Histogram;
type Point = DataPoint<Value>;

/** One series of a metric. */
export interface Series {
  readonly metric: MetricData;
  readonly point: Point;
}

export function seriesOf(metrics: readonly MetricData[]): ReadonlyMap<string, Series> {
  const series = new Map<string, Series>();
  for (const metric of metrics)
    for (const point of metric.dataPoints as readonly Point[])
      series.set(`${metric.descriptor.name}\0${labelKey(point.attributes as Labels)}`, { metric, point });
  return series;
}

/** Values of equal labels become one. */
export function sumOf(all: Iterable<ReadonlyMap<string, Series>>): ReadonlyMap<string, Series> {
  const sums = new Map<string, Series>();
  for (const series of all)
    for (const [key, one] of series) {
      const known = sums.get(key);
      sums.set(key, known === undefined ? one : plus(known, one.point));
    }
  return sums;
}

export function metricsOf(series: ReadonlyMap<string, Series>): MetricData[] {
  const byName = new Map<string, { readonly metric: MetricData; readonly points: Point[] }>();
  for (const { metric, point } of series.values()) {
    const { name } = metric.descriptor;
    const known = byName.get(name);
    if (known === undefined) byName.set(name, { metric, points: [point] });
    else known.points.push(point);
  }
  return [...byName.values()].map(({ metric, points }) => ({ ...metric, dataPoints: points }) as MetricData);
}

function plus({ metric, point }: Series, more: Point): Series {
  return { metric, point: { ...point, value: sum(point.value, more.value) } };
}

function sum(one: Value, other: Value): Value {
  if (typeof one === 'number') return typeof other === 'number' ? one + other : one;
  if (typeof other === 'number' || !isDeepStrictEqual(one.buckets.boundaries, other.buckets.boundaries))
    return one;
  const counts = one.buckets.counts.map((count, at) => count + (other.buckets.counts[at] ?? 0));
  return {
    buckets: { boundaries: one.buckets.boundaries, counts },
    sum: (one.sum ?? 0) + (other.sum ?? 0),
    count: one.count + other.count,
  };
}
