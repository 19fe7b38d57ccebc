import { definePlugin, readSchema } from 'pegboard';
import { CallSecrets } from '../contracts/secrets.ts';
import type { TracingConfig } from './config.ts';
import { Tracer } from '../contracts/tracing.ts';
import { writtenText } from '../kit/telemetry/exportSettings.ts';
import { traceExporterNames } from './export/traceExporterNames.ts';

/** Exports traces over OTLP or into the log. Costs nothing unless the environment asks for it. */
export const plugin = definePlugin<TracingConfig>({
  name: 'tracing',
  api: 1,
  configSchema: readSchema('config/tracing'),
  enabled: (settings, env) => {
    const textOf = (key: string): string => writtenText(settings, 'tracing', key);
    const names = traceExporterNames({
      OTEL_SDK_DISABLED: env['OTEL_SDK_DISABLED'],
      OTEL_TRACES_EXPORTER: env['OTEL_TRACES_EXPORTER'] || textOf('exporter'),
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'],
      OTEL_EXPORTER_OTLP_ENDPOINT: env['OTEL_EXPORTER_OTLP_ENDPOINT'] || textOf('endpoint'),
    });
    return names.length > 0;
  },
  asks: [CallSecrets],
  provides: [Tracer],
  apply: async (scope) => (await import('./apply.ts')).apply(scope),
});
