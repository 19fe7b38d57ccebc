import { connect } from 'node:net';
import { diag } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { expect } from 'chai';
import { startExporters } from '../../../../plugins/metrics/exporters/startExporters.ts';
import { Collector } from '../../../../plugins/metrics/series/collector.ts';
import { messageOf } from '../../../../kernel/index.ts';
import { defer } from '../../../support/cleanup.ts';
import { captureLog } from '../../../support/log.ts';
import { send } from '../../../support/rawHttp.ts';
import { until } from '../../../support/until.ts';

const CLIENTS = 40;
const REQUESTS = 25;

describe('the exporters of metrics', () => {
  const WRONG = [
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'me:hunter2@collector:4318' },
      'OTEL_EXPORTER_OTLP_ENDPOINT does not begin with http:// or https://; write it as http://collector:4318',
    ],
    [
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: 'collector',
        OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://me:hunter2@collector:port',
      },
      'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT is not a URL: its host or port cannot be read; write it as http://collector:4318/v1/metrics',
    ],
  ] as const;
  for (const [env, message] of WRONG)
    it(`refuse the start for ${JSON.stringify(env)}`, async () => {
      const fault = await startOtlp(env).then(() => 'started', messageOf);
      expect(fault).equal(message);
    });

  it('report once what OpenTelemetry reports about traces, and not as a failed export of metrics', async () => {
    const log = captureLog();
    const env = { OTEL_METRICS_EXPORTER: 'prometheus', OTEL_EXPORTER_PROMETHEUS_PORT: '0' };
    const resource = resourceFromAttributes({});
    const producer = new Collector(
      () => [],
      resource,
      () => 1,
      log,
    );
    defer(await startExporters({ producer, env, allowedHosts: () => [], log }));
    for (const count of [3, 5]) diag.warn(`Dropped ${count} spans because maxQueueSize reached`);
    const warnings = log.having('', 'warn').map(({ text, data }) => ({ text, ...data }));
    expect(warnings).deep.equal([
      { text: 'OpenTelemetry reports a problem', problem: 'Dropped 3 spans because maxQueueSize reached' },
    ]);
    diag.error('PeriodicExportingMetricReader: metrics export timed out after 50ms');
    expect(log.having('metrics could not be exported', 'warn')).length(1);
  });

  it('render /metrics once for many who ask at a time, however many requests they send at once', async () => {
    let renderings = 0;
    const sources = (): [] => {
      renderings += 1;
      return [];
    };
    const url = await served({ sources });
    const clients = Array.from({ length: CLIENTS }, () => pipelined(url, REQUESTS));
    await until(() => clients.every((answers) => answers() === REQUESTS));
    expect(renderings).within(1, (CLIENTS * REQUESTS) / 4);
  });

  it('serve /metrics to the names of loopback, and those that the operator allows, read anew each time', async () => {
    const allowed: string[] = [];
    const url = await served({ allowedHosts: () => allowed });
    const statusOf = async (host: string) => (await send(url.href, { headers: { host } })).status;
    for (const name of ['localhost', 'LOCALHOST:1', '127.0.0.1:9464', '[::1]'])
      expect(await statusOf(name), name).equal(200);
    for (const name of [
      'evil.example',
      'localhost.evil.example',
      '10.1.2.3:9464',
      '127.0.0.1.nip.io',
      'a@localhost',
    ])
      expect(await statusOf(name), name).equal(403);
    const { text } = await send(url.href, { headers: { host: 'metrics.example' } });
    expect(text).include('plugins.metrics.config.allowedHosts');
    allowed.push('Metrics.example');
    expect(await statusOf('metrics.example:9464')).equal(200);
  });

  it('serve /metrics beyond loopback to addresses too, by which pods are scraped, and to no foreign name', async () => {
    const url = await served({ host: '0.0.0.0' });
    const statusOf = async (host: string) => (await send(url.href, { headers: { host } })).status;
    for (const name of ['10.1.2.3:9464', '[fd00::1]:9464', 'localhost'])
      expect(await statusOf(name), name).equal(200);
    for (const name of ['evil.example', 'pegboard.default.svc:9464'])
      expect(await statusOf(name), name).equal(403);
  });
});

async function startOtlp(env: object): Promise<void> {
  const log = captureLog();
  const producer = new Collector(
    () => [],
    resourceFromAttributes({}),
    () => 1,
    log,
  );
  const parts = { producer, allowedHosts: () => [], log };
  defer(await startExporters({ ...parts, env: { OTEL_METRICS_EXPORTER: 'otlp', ...env } }));
}

interface Served {
  readonly host?: string;
  readonly sources?: () => [];
  readonly allowedHosts?: () => readonly string[];
}

/** Serves /metrics on a free port. @returns its URL on loopback */
async function served({
  host = 'localhost',
  sources = () => [],
  allowedHosts = () => [],
}: Served): Promise<URL> {
  const log = captureLog();
  const env = {
    OTEL_METRICS_EXPORTER: 'prometheus',
    OTEL_EXPORTER_PROMETHEUS_HOST: host,
    OTEL_EXPORTER_PROMETHEUS_PORT: '0',
  };
  const producer = new Collector(sources, resourceFromAttributes({}), () => 1, log);
  defer(await startExporters({ producer, env, allowedHosts, log }));
  const url = new URL(String(log.having('metrics are served')[0]?.data['url']));
  url.hostname = '127.0.0.1';
  return url;
}

/** A connection that asks so often at once. @returns the number of its answers */
function pipelined({ port, pathname }: URL, requests: number): () => number {
  let text = '';
  const socket = connect(Number(port), '127.0.0.1').setEncoding('latin1');
  socket.on('data', (piece: string) => (text += piece));
  socket.write(`GET ${pathname} HTTP/1.1\r\nhost: localhost\r\n\r\n`.repeat(requests));
  defer(() => socket.destroy());
  return () => text.split('HTTP/1.1 200 OK').length - 1;
}
