import { definePlugin, readSchema } from 'pegboard';
import { MetricSource } from '../contracts/metrics.ts';
import { MemoryBudget } from '../contracts/memory.ts';
import { Budget } from './budget.ts';
import type { MemoryConfig } from './config.ts';
import { memoryMetrics } from './memoryMetrics.ts';

/** One bound on the memory of all large messages together, so that a flood of them fails alone and not the process. */
export const plugin = definePlugin<MemoryConfig>({
  name: 'memory',
  api: 1,
  configSchema: readSchema('config/memory'),
  provides: [MemoryBudget, MetricSource],
  apply(scope) {
    const budget = new Budget(() => scope.config);
    scope.provide(MemoryBudget, budget);
    scope.provide(MetricSource, memoryMetrics(budget));
    scope.tap('onEvent', (event) => {
      if (event.type === 'call.settled') budget.settled(event.call);
    });
    scope.onReload(() => budget.resized());
    scope.onStop(() => budget.close());
  },
});
