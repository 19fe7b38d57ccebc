import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { ConfigControl, VERSION } from 'pegboard';
import type { Scope } from 'pegboard';
import { CallMetrics } from './calls/callMetrics.ts';
import { ConfigMetrics } from './config/configMetrics.ts';
import type { MetricsConfig } from './config.ts';
import { MetricSource } from '../contracts/metrics.ts';
import { exportEnv, exportUrl } from './exportEnv.ts';
import { startExporters } from './exporters/startExporters.ts';
import { ProcessMetrics } from './process/processMetrics.ts';
import { SearchMetrics } from './search/searchMetrics.ts';
import { Collector } from './series/collector.ts';

export function apply(scope: Scope<MetricsConfig>): void {
  const { log } = scope;
  const calls = new CallMetrics(() => scope.config.maxTools);
  const process = new ProcessMetrics();
  const own = resourceFromAttributes({ 'service.name': 'pegboard', 'service.version': VERSION });
  const resource = own.merge(detectResources({ detectors: [envDetector] }));
  const collector: Collector = new Collector(
    () => scope.all(MetricSource),
    resource,
    () => scope.config.maxSeries,
    log,
  );
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
    stop = await startExporters({
      producer: collector,
      env: exportEnv(scope.config, globalThis.process.env),
      url: exportUrl(scope.config, globalThis.process.env),
      settings,
      allowedHosts: () => scope.config.allowedHosts,
      log,
    });
  });
  const end = async (): Promise<void> => {
    await stop?.();
    process.stop();
  };
  // Before the plugins leave, whose metrics the last export has.
  scope.onDrain(end);
  scope.onStop(end);
  const places = JSON.stringify(exportEnv(scope.config, {}));
  // Exporters are opened anew with the plugin; a port that is taken refuses the change.
  scope.onReload((next) => (JSON.stringify(exportEnv(next, {})) === places ? undefined : false));
}
