import { resourceFromAttributes } from '@opentelemetry/resources';
import { expect } from 'chai';
import type { Metric, MetricSource } from '../../../../plugins/contracts/metrics.ts';
import { Collector } from '../../../../plugins/metrics/series/collector.ts';
import { captureLog } from '../../../support/log.ts';

function gauge(name: string, read: () => Iterable<{ readonly value: number }>): Metric {
  return { name, kind: 'gauge', unit: '1', description: 'A test.', read };
}

describe('the collector of metrics', () => {
  const log = captureLog();
  const collect = async (sources: readonly MetricSource[], maxSeries = 100) => {
    const resource = resourceFromAttributes({});
    const collector = new Collector(
      () => sources,
      resource,
      () => maxSeries,
      log,
    );
    const { resourceMetrics } = await collector.collect();
    const metrics = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics);
    const points = metrics.map(({ descriptor, dataPoints }) => [
      descriptor.name,
      dataPoints.map(({ value }) => value),
    ]);
    return { collector, points };
  };
  const problems = (name: string) =>
    log
      .having('a metric is incomplete')
      .flatMap(({ data }) => (data['metric'] === name ? data['problem'] : []));

  it('leaves out a source or a metric that throws, names it once, and reads all others', async () => {
    const broken: MetricSource = {
      get metrics(): never {
        throw new Error('no list');
      },
    };
    const thrower = gauge('acme.broken', () => {
      throw new Error('no value');
    });
    const sources = [broken, { metrics: [thrower, gauge('acme.good', () => [{ value: 1 }])] }];
    const { collector, points } = await collect(sources);
    expect(points).deep.equal([['acme.good', [1]]]);
    await collector.collect();
    expect(problems('acme.broken')).deep.equal(['cannot be read: no value']);
    expect(problems('(of a plugin)')).deep.equal(['metrics cannot be listed: no list']);
  });

  it('puts series of one metric from several plugins together, and the first of two equal ones', async () => {
    const one = (value: number, server: string): MetricSource => ({
      metrics: [gauge('acme.both', () => [{ value, labels: { server } }] as never)],
    });
    const { points } = await collect([one(1, 'a'), one(2, 'b'), one(3, 'b')]);
    expect(points).deep.equal([['acme.both', [1, 2]]]);
    expect(problems('acme.both')).deep.equal(['has two values for the same labels; the first one counts']);
  });

  it('leaves out a metric of another kind than the first one of that name', async () => {
    const counter: Metric = { ...gauge('acme.kind', () => [{ value: 2 }]), kind: 'counter' } as Metric;
    const { points } = await collect([{ metrics: [gauge('acme.kind', () => [{ value: 1 }]), counter] }]);
    expect(points).deep.equal([['acme.kind', [1]]]);
    expect(problems('acme.kind')).deep.equal(['is a counter of one plugin and a gauge of another']);
  });

  it('exports no more series of one metric than maxSeries, and counts the rest', async () => {
    const all = Array.from({ length: 12 }, (_, value) => ({ value, labels: { at: String(value) } }));
    const { collector, points } = await collect([{ metrics: [gauge('acme.many', () => all)] }], 10);
    expect(points[0]?.[1]).lengthOf(10);
    expect(collector.dropped).equal(2);
  });
});
