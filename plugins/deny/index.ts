import { DecisionLayer, STAGE, definePlugin, readSchema, whenConfigured } from 'pegboard';
import type { DenyConfig } from './config.ts';
import { denialsOf } from './denialsOf.ts';
import { denyFindings } from './denyFindings.ts';

/** Tools that no caller may see or call, not even in steps of workflows. Costs nothing until it is configured. */
export const plugin = definePlugin<DenyConfig>({
  name: 'deny',
  api: 1,
  configSchema: readSchema('config/deny'),
  enabled: whenConfigured('deny'),
  provides: [DecisionLayer],
  check: denyFindings,
  apply(scope) {
    let denials = denialsOf(scope.config);
    let version = 0;
    scope.provide(DecisionLayer, {
      layer: 'deny',
      order: 20,
      judge: (_, item) => denials.judge(item),
      basis: () => String(version),
    });
    // A decision layer does not apply to steps of workflows; this tap does.
    scope.tap('onCall', ({ tool }) => denials.admit(tool), STAGE.admit);
    scope.onReload((next) => {
      denials = denialsOf(next);
      version += 1;
    });
  },
});
