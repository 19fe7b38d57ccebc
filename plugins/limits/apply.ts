import { GatewayError, STAGE } from 'pegboard';
import type { Scope } from 'pegboard';
import { AggregatorFacts } from '../contracts/services.ts';
import { MetricSource } from '../contracts/metrics.ts';
import { Quotas } from '../contracts/processes.ts';
import type { LimitsConfig } from './config.ts';
import { Leases } from './leases.ts';
import { Limits } from './limits.ts';

export function apply(scope: Scope<LimitsConfig>): void {
  const quotas = (): Quotas => {
    const provided = scope.find(Quotas);
    if (provided !== undefined) return provided;
    const text = 'plugins.limits.config.shared needs a store that several processes share';
    throw new GatewayError(
      'STORE_UNREACHABLE',
      `${text}; configure plugins.vault-redis, or set shared: false`,
    );
  };
  const leases = new Leases(quotas);
  /** Workers of one gateway have its limits together. */
  const inForce = (config: LimitsConfig): LimitsConfig =>
    scope.find(Quotas)?.areLocal === true ? { ...config, shared: true } : config;
  const limits = new Limits(scope.config, leases);
  scope.provide(AggregatorFacts, {
    facts: () => ({
      limits: inForce(scope.config).shared ? 'counted by all processes together' : 'counted per process',
    }),
  });
  scope.provide(MetricSource, {
    metrics: [
      {
        name: 'pegboard.limits.refusals',
        kind: 'counter',
        unit: '{call}',
        description: 'Calls that were refused, by limit: session, caller, server, tool.',
        read: () => limits.refusals.samples(),
      },
      {
        name: 'pegboard.limits.running',
        kind: 'gauge',
        adds: true,
        unit: '{call}',
        description: 'Calls under way that count against a limit; call_tool and its tool are two.',
        read: () => [{ value: limits.running }],
      },
    ],
  });
  scope.tap(
    'onCall',
    async (call, next) => {
      await limits.admit(call, performance.now());
      try {
        return await next();
      } finally {
        limits.settle(call);
      }
    },
    STAGE.admit,
  );
  scope.onStart(() => {
    if (scope.config.shared) quotas();
  });
  scope.onReload((next) => {
    if (next.shared) quotas();
    limits.adopt(inForce(next));
  });
  scope.each(Quotas, () => {
    const adopt = (): void => limits.adopt(inForce(scope.config));
    adopt();
    return adopt;
  });
  scope.onStop(() => leases.close());
}
