import type { Requirement } from './requirement.ts';

/** The exporter of metrics. */
export const METRICS: readonly Requirement[] = [
  {
    id: 'metrics.path',
    sentence: 'With OTEL_METRICS_EXPORTER=prometheus the path /metrics is served.',
    tests: [
      'e2e/metrics: are served at /metrics of OTEL_EXPORTER_PROMETHEUS_HOST:OTEL_EXPORTER_PROMETHEUS_PORT, and only there',
      'e2e/metrics: are neither served nor sent with ${JSON.stringify(env)}',
      'plugins/metrics/scrape: is at /metrics only, for GET and HEAD',
    ],
  },
  {
    id: 'metrics.address',
    sentence: 'It is served on OTEL_EXPORTER_PROMETHEUS_HOST:OTEL_EXPORTER_PROMETHEUS_PORT (localhost:9464).',
    tests: [
      'e2e/metrics: are served at /metrics of OTEL_EXPORTER_PROMETHEUS_HOST:OTEL_EXPORTER_PROMETHEUS_PORT, and only there',
      'e2e/metrics: refuse the start if their port is taken, and name OTEL_EXPORTER_PROMETHEUS_PORT',
      'plugins/kit/telemetry/prometheusAddress: is localhost:9464, or what the variables name',
    ],
  },
];
