import { ConfigControl } from 'pegboard';
import type { Scope } from 'pegboard';
import { CallSecrets } from '../contracts/secrets.ts';
import { Tracer } from '../contracts/tracing.ts';
import type { TracingConfig } from './config.ts';
import { openExport } from './export/openExport.ts';
import { ContentReader } from './spans/contentReader.ts';
import { Spans } from './spans/spans.ts';

export async function apply(scope: Scope<TracingConfig>): Promise<void> {
  const settings = scope.find(ConfigControl)?.settings().aggregator;
  const traces = await openExport(process.env, scope.log, settings);
  const content = new ContentReader(
    () => scope.config,
    (call) => scope.all(CallSecrets).flatMap((source) => source.hiderFor(call) ?? []),
  );
  scope.provide(Tracer, new Spans(traces.tracer, content));
  scope.onStop(() => traces.stop());
  scope.onReload(() => undefined);
}
