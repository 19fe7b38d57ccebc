import { diag } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { expect } from 'chai';
import { startExporters } from '../../../../plugins/metrics/exporters/startExporters.ts';
import { Collector } from '../../../../plugins/metrics/series/collector.ts';
import { defer } from '../../../support/cleanup.ts';
import { captureLog } from '../../../support/log.ts';

describe('the exporters of metrics', () => {
  it('report once what OpenTelemetry reports about traces, and not as a failed export of metrics', async () => {
    const log = captureLog();
    const env = { OTEL_METRICS_EXPORTER: 'prometheus', OTEL_EXPORTER_PROMETHEUS_PORT: '0' };
    const resource = resourceFromAttributes({});
    const producer = new Collector({ sources: () => [], resource, maxSeries: () => 1, log });
    defer(await startExporters({ producer, env, log }));
    for (const count of [3, 5]) diag.warn(`Dropped ${count} spans because maxQueueSize reached`);
    const warnings = log.having('', 'warn').map(({ text, data }) => ({ text, ...data }));
    expect(warnings).deep.equal([
      { text: 'OpenTelemetry reports a problem', problem: 'Dropped 3 spans because maxQueueSize reached' },
    ]);
    diag.error('PeriodicExportingMetricReader: metrics export timed out after 50ms');
    expect(log.having('metrics could not be exported', 'warn')).length(1);
  });
});
