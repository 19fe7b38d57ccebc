import { expect } from 'chai';
import { MetricSource as Token } from '../../plugins/contracts/metrics.ts';
import type { HistogramSample, Metric, MetricSource, Sample } from '../../plugins/contracts/metrics.ts';
import type { Gateway } from './gateway.ts';

type Read = Sample | HistogramSample;

/** All metrics of a gateway, as an exporter reads them. */
export function metricsOf({ kernel }: Pick<Gateway, 'kernel'>): readonly Metric[] {
  return (kernel.registry.all(Token.id) as readonly MetricSource[]).flatMap(({ metrics }) => metrics);
}

/** Reads one metric: its values by their labels, `server=git state=ready`; for a histogram the numbers of values. */
export function valuesOf(source: readonly Metric[], name: string): Readonly<Record<string, number>> {
  const named = source.filter((metric) => metric.name === name);
  expect(named, name).not.deep.equal([]);
  const samples = named.flatMap((metric): readonly Read[] => [...metric.read()]);
  return Object.fromEntries(samples.map((sample) => [labelText(sample.labels ?? {}), numberOf(sample)]));
}

/** `server=git state=ready` */
export function labelText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}

function numberOf(sample: Read): number {
  return 'value' in sample ? sample.value : sample.counts.reduce((sum, one) => sum + one, 0);
}
