import type { IncomingMessage, ServerResponse } from 'node:http';
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import type { MetricProducer } from '@opentelemetry/sdk-metrics';
import type { Env, Log } from 'pegboard';
import { hostName, hostNames } from '../../kit/http/hostNames.ts';
import { openSideListener } from '../../kit/http/sideListener.ts';
import { PORT_VARIABLE, prometheusAddress } from '../../kit/telemetry/prometheusAddress.ts';
import { SharedRendering } from './sharedRendering.ts';

export interface PrometheusParts {
  readonly producer: MetricProducer;
  readonly env: Env;
  /** Names of /metrics besides those of loopback. */
  readonly allowedHosts: () => readonly string[];
  readonly log: Log;
}

const WRONG_HOST =
  'this Host is not allowed; use localhost, or add the name to plugins.metrics.config.allowedHosts\n';
const SUFFIXES: Readonly<Record<string, string>> = { s: '.seconds', By: '.bytes' };

/** Serves /metrics on a listener of its own. Source: requirement metrics.path. @throws GatewayError PLUGIN_START */
export async function openPrometheus(parts: PrometheusParts): Promise<() => Promise<void>> {
  const { producer, env, log } = parts;
  const { host, port } = prometheusAddress(env);
  const metrics = withUnits(producer);
  const serializer = new PrometheusSerializer(undefined, false, undefined, false, true);
  const rendering = new SharedRendering(async () =>
    // Bytes, so that all responses share them.
    Buffer.from(serializer.serialize((await metrics.collect()).resourceMetrics)),
  );
  const answer = (req: IncomingMessage, res: ServerResponse): void => {
    if (!hostNames(host, parts.allowedHosts())(hostName(req.headers.host)))
      res.writeHead(403).end(WRONG_HOST);
    else if (req.url?.split('?')[0] !== '/metrics') res.writeHead(404).end('metrics are at /metrics\n');
    else if (req.method !== 'GET' && req.method !== 'HEAD') res.writeHead(405, { allow: 'GET, HEAD' }).end();
    else
      rendering.get().then(
        (text) => void res.setHeader('content-type', 'text/plain').end(text),
        (error: unknown) => {
          log.error('metrics could not be rendered', { error });
          res.writeHead(500).end('metrics could not be rendered; the log has the reason\n');
        },
      );
  };
  const listener = await openSideListener({
    host,
    port,
    handler: answer,
    log,
    setting: process.env[PORT_VARIABLE] ? PORT_VARIABLE : 'plugins.metrics.config.port',
  });
  log.info('metrics are served', { url: `http://${host}:${listener.port}/metrics` });
  return () => listener.close();
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
