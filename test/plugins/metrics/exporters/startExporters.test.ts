import { connect } from 'node:net';
import { diag } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { expect } from 'chai';
import { startExporters } from '../../../../plugins/metrics/exporters/startExporters.ts';
import { Collector } from '../../../../plugins/metrics/series/collector.ts';
import { defer } from '../../../support/cleanup.ts';
import { captureLog } from '../../../support/log.ts';
import { until } from '../../../support/until.ts';

const CLIENTS = 40;
const REQUESTS = 25;

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

  it('render /metrics once for many who ask at a time, however many requests they send at once', async () => {
    const log = captureLog();
    const env = { OTEL_METRICS_EXPORTER: 'prometheus', OTEL_EXPORTER_PROMETHEUS_PORT: '0' };
    let renderings = 0;
    const sources = (): [] => {
      renderings += 1;
      return [];
    };
    const resource = resourceFromAttributes({});
    defer(
      await startExporters({
        producer: new Collector({ sources, resource, maxSeries: () => 1, log }),
        env,
        log,
      }),
    );
    const url = new URL(String(log.having('metrics are served')[0]?.data['url']));
    const clients = Array.from({ length: CLIENTS }, () => pipelined(url, REQUESTS));
    await until(() => clients.every((answers) => answers() === REQUESTS));
    expect(renderings).within(1, (CLIENTS * REQUESTS) / 4);
  });
});

/** A connection that asks so often at once. @returns the number of its answers */
function pipelined({ port, pathname }: URL, requests: number): () => number {
  let text = '';
  const socket = connect(Number(port), '127.0.0.1').setEncoding('latin1');
  socket.on('data', (piece: string) => (text += piece));
  socket.write(`GET ${pathname} HTTP/1.1\r\nhost: localhost\r\n\r\n`.repeat(requests));
  defer(() => socket.destroy());
  return () => text.split('HTTP/1.1 200 OK').length - 1;
}
