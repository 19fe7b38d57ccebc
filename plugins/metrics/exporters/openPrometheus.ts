import type { IncomingMessage, ServerResponse } from 'node:http';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import type { MetricProducer } from '@opentelemetry/sdk-metrics';
import { GatewayError } from 'pegboard';
import type { Env } from 'pegboard';
import { openSideListener } from '../../http/contract.ts';
import type { ExporterParts } from './startExporters.ts';

const PORT_VARIABLE = 'OTEL_EXPORTER_PROMETHEUS_PORT';
const DEFAULT_PORT = 9464;
const SUFFIXES: Readonly<Record<string, string>> = { s: '.seconds', By: '.bytes' };

/** Serves /metrics on a listener of its own. Source: requirement metrics.path. @throws GatewayError PLUGIN_START */
export async function openPrometheus({ producer, env, log }: ExporterParts): Promise<() => Promise<void>> {
  const exporter = new PrometheusExporter({ preventServerStart: true, withoutScopeInfo: true });
  exporter.setMetricProducer(withUnits(producer));
  const answer = (req: IncomingMessage, res: ServerResponse): void => {
    if (req.url?.split('?')[0] !== '/metrics') res.writeHead(404).end('metrics are at /metrics\n');
    else if (req.method !== 'GET' && req.method !== 'HEAD') res.writeHead(405, { allow: 'GET, HEAD' }).end();
    else exporter.getMetricsRequestHandler(req, res);
  };
  const host = env['OTEL_EXPORTER_PROMETHEUS_HOST'] || 'localhost';
  const listener = await openSideListener({
    host,
    port: portIn(env),
    handler: answer,
    log,
    setting: PORT_VARIABLE,
  });
  log.info('metrics are served', { url: `http://${host}:${listener.port}/metrics` });
  return async () => {
    await listener.close();
    await exporter.shutdown();
  };
}

/** @throws GatewayError PLUGIN_START */
function portIn(env: Env): number {
  const text = env[PORT_VARIABLE] ?? '';
  if (text === '') return DEFAULT_PORT;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw new GatewayError(
    'PLUGIN_START',
    `${PORT_VARIABLE} is "${text}"; use a number from 0 (a free port) to 65535`,
  );
}

/** Prometheus expects the unit in the name; this exporter leaves it out. Source:
 *  https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/ */
function withUnits(producer: MetricProducer): MetricProducer {
  return {
    collect: async (options) => {
      const { resourceMetrics, errors } = await producer.collect(options);
      const scopeMetrics = resourceMetrics.scopeMetrics.map(({ scope, metrics }) => ({
        scope,
        metrics: metrics.map((metric) => {
          const { name, unit } = metric.descriptor;
          return { ...metric, descriptor: { ...metric.descriptor, name: name + (SUFFIXES[unit] ?? '') } };
        }),
      }));
      return { resourceMetrics: { ...resourceMetrics, scopeMetrics }, errors };
    },
  };
}
