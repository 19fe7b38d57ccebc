import { STAGE, definePlugin, readSchema } from 'pegboard';
import { KeyedCalls } from '../contracts/idempotency.ts';
import { MetricSource } from '../contracts/metrics.ts';
import { Vault } from '../contracts/vault.ts';
import { Channel, Peers } from '../contracts/processes.ts';
import type { IdempotencyConfig } from './config.ts';
import { VaultedCalls } from './vaultedCalls.ts';

/** Runs a call with an idempotency key once. Costs nothing without a key. */
export const plugin = definePlugin<IdempotencyConfig>({
  name: 'idempotency',
  api: 1,
  configSchema: readSchema('config/idempotency'),
  uses: [Vault, Channel, Peers],
  provides: [KeyedCalls, MetricSource],
  apply(scope) {
    const calls = new VaultedCalls(scope);
    scope.provide(KeyedCalls, true);
    scope.tap(
      'onCall',
      (call, next) => {
        const key = call.parent?.idempotencyKey;
        return key === undefined ? undefined : calls.run(key, call, next);
      },
      STAGE.tool,
    );
    scope.provide(MetricSource, {
      metrics: [
        {
          name: 'pegboard.idempotency.calls',
          kind: 'counter',
          unit: '{call}',
          description: 'Calls with a key by outcome: new, replayed, busy, reused, unknown.',
          read: () => calls.counts.samples(),
        },
      ],
    });
    scope.each(Channel, (channel) => calls.answerOthers(channel));
    scope.onReload(() => calls.recount());
  },
});
