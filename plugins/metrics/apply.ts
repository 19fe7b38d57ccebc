import { isDeepStrictEqual } from 'node:util';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { ConfigControl } from 'pegboard';
import type { Env, Scope } from 'pegboard';
import { CallMetrics } from './calls/callMetrics.ts';
import { ConfigMetrics } from './config/configMetrics.ts';
import type { MetricsConfig } from './config.ts';
import { MetricSource } from '../contracts/metrics.ts';
import { WorkerLine } from '../contracts/processes.ts';
import { exportEnv, exportUrl } from '../kit/telemetry/exportSettings.ts';
import { OWN_ATTRIBUTES } from '../kit/telemetry/ownAttributes.ts';
import { startExporters } from './exporters/startExporters.ts';
import { ProcessMetrics } from './process/processMetrics.ts';
import { SearchMetrics } from './search/searchMetrics.ts';
import { Collector } from './series/collector.ts';
import { TeamMetrics } from './series/teamMetrics.ts';
import { tellMetrics } from './series/tellMetrics.ts';

export function apply(scope: Scope<MetricsConfig>): void {
  const { log } = scope;
  const calls = new CallMetrics(() => scope.config.maxTools);
  const process = new ProcessMetrics();
  const collector: Collector = new Collector(
    () => scope.all(MetricSource),
    resourceFromAttributes(OWN_ATTRIBUTES).merge(detectResources({ detectors: [envDetector] })),
    () => scope.config.maxSeries,
    log,
    () => scope.find(WorkerLine)?.number,
  );
  const team = new TeamMetrics(collector, () => scope.find(WorkerLine), log);
  const counted = [calls, new SearchMetrics(), new ConfigMetrics()];
  for (const source of [...counted, process]) scope.provide(MetricSource, source);
  scope.provide(MetricSource, {
    metrics: [
      {
        name: 'pegboard.metrics.dropped',
        kind: 'counter',
        unit: '{series}',
        description: 'Series that were left out of an export because a metric had too many.',
        read: () => [{ value: collector.dropped }],
      },
    ],
  });
  scope.tap('onEvent', (event) => {
    for (const each of counted) each.take(event);
  });
  let stop: (() => Promise<void>) | undefined;
  scope.onStart(async () => {
    process.start();
    const settings = scope.find(ConfigControl)?.settings().aggregator;
    const line = scope.find(WorkerLine);
    const isFirst = (line?.number ?? 0) === 0;
    if (isFirst) team.join();
    stop = await startExporters({
      producer: collector,
      scraped: team,
      ...(line !== undefined && !isFirst && { tell: () => tellMetrics(line, collector, log) }),
      env: exportEnv(variablesOf(scope.config), globalThis.process.env),
      url: () => exportUrl(scope.config.endpoint, 'metrics', globalThis.process.env),
      settings,
      allowedHosts: () => scope.config.allowedHosts,
      log,
    });
  });
  const end = async (): Promise<void> => {
    await stop?.();
    team.leave();
    process.stop();
  };
  // Before the plugins leave, whose metrics the last export has.
  scope.onDrain(end);
  scope.onStop(end);
  const places = variablesOf(scope.config);
  // Exporters are opened anew with the plugin; a port that is taken refuses the change.
  scope.onReload((next) => (isDeepStrictEqual(variablesOf(next), places) ? undefined : false));
}

/** What the configuration says in place of the environment. */
function variablesOf({ exporter, host, port, endpoint }: MetricsConfig): Env {
  return {
    OTEL_METRICS_EXPORTER: exporter,
    OTEL_EXPORTER_PROMETHEUS_HOST: host,
    OTEL_EXPORTER_PROMETHEUS_PORT: port?.toString(),
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  };
}
