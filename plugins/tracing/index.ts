import { definePlugin, readSchema } from 'pegboard';
import { CallSecrets } from '../contracts/secrets.ts';
import type { TracingConfig } from './config.ts';
import { Tracer } from '../contracts/tracing.ts';
import { exportConfigIn, exportEnv } from './exportEnv.ts';
import { traceExporterNames } from './export/traceExporterNames.ts';

/** Exports traces over OTLP or into the log. Costs nothing unless the environment asks for it. */
export const plugin = definePlugin<TracingConfig>({
  name: 'tracing',
  api: 1,
  configSchema: readSchema('config/tracing'),
  enabled: (settings, env) => traceExporterNames(exportEnv(exportConfigIn(settings), env)).length > 0,
  asks: [CallSecrets],
  provides: [Tracer],
  apply: async (scope) => (await import('./apply.ts')).apply(scope),
});
