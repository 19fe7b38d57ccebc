import { ConfigControl } from 'pegboard';
import type { Scope } from 'pegboard';
import { CallSecrets } from '../contracts/secrets.ts';
import { Tracer } from '../contracts/tracing.ts';
import { inSpan } from '../kit/calls/inSpan.ts';
import type { TracingConfig } from './config.ts';
import { exportEnv, exportUrl } from './exportEnv.ts';
import { openExport } from './export/openExport.ts';
import { ContentReader } from './spans/contentReader.ts';
import { Spans } from './spans/spans.ts';

/** The meta-tool that calls another tool. */
const DISPATCHER = 'call_tool';

export async function apply(scope: Scope<TracingConfig>): Promise<void> {
  const settings = scope.find(ConfigControl)?.settings().aggregator;
  const traces = await openExport(exportEnv(scope.config, process.env), scope.log, {
    settings,
    url: exportUrl(scope.config, process.env),
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
  const places = JSON.stringify(exportEnv(scope.config, {}));
  scope.onReload((next) => (JSON.stringify(exportEnv(next, {})) === places ? undefined : false));
}
