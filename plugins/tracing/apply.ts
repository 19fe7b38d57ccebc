import { isDeepStrictEqual } from 'node:util';
import { ConfigControl } from 'pegboard';
import type { Env, Scope } from 'pegboard';
import { CallSecrets } from '../contracts/secrets.ts';
import { Tracer } from '../contracts/tracing.ts';
import { inSpan } from '../kit/calls/inSpan.ts';
import { exportEnv, exportUrl } from '../kit/telemetry/exportSettings.ts';
import type { TracingConfig } from './config.ts';
import { openExport } from './export/openExport.ts';
import { ContentReader } from './spans/contentReader.ts';
import { Spans } from './spans/spans.ts';

/** The meta-tool that calls another tool. */
const DISPATCHER = 'call_tool';

export async function apply(scope: Scope<TracingConfig>): Promise<void> {
  const settings = scope.find(ConfigControl)?.settings().aggregator;
  const traces = await openExport(exportEnv(variablesOf(scope.config), process.env), scope.log, {
    settings,
    url: () => exportUrl(scope.config.endpoint, 'traces', process.env),
  });
  const content = new ContentReader(
    () => scope.config,
    (call) => scope.all(CallSecrets).flatMap((source) => source.hiderFor(call) ?? []),
  );
  const spans = new Spans(traces.tracer, content);
  scope.provide(Tracer, spans);
  scope.tap('onCall', (call, next) => {
    if (call.tool.name !== DISPATCHER) return undefined;
    const span = spans.begin({ type: 'dispatch', tool: call.tool.name }, call.meta);
    call.meta = span.meta;
    return inSpan(span, next);
  });
  scope.onStop(() => traces.stop());
  const places = variablesOf(scope.config);
  scope.onReload((next) => (isDeepStrictEqual(variablesOf(next), places) ? undefined : false));
}

/** What the configuration says in place of the environment. */
function variablesOf({ exporter, endpoint }: TracingConfig): Env {
  return { OTEL_TRACES_EXPORTER: exporter, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint };
}
