import type { MetricSource } from '../contracts/metrics.ts';
import type { Budget } from './budget.ts';

export function memoryMetrics(budget: Budget): MetricSource {
  return {
    metrics: [
      {
        name: 'pegboard.memory.used',
        kind: 'gauge',
        adds: true,
        unit: 'By',
        description: 'Bytes of large messages that are being read or processed.',
        read: () => [{ value: budget.used }],
      },
      {
        name: 'pegboard.memory.limit',
        kind: 'gauge',
        adds: true,
        unit: 'By',
        description: 'Bytes that they may take together.',
        read: () => [{ value: budget.maxBytes }],
      },
      {
        name: 'pegboard.memory.waits',
        kind: 'counter',
        unit: '{message}',
        description: 'Messages that had to wait for memory, by use: request, answer, result, run, page.',
        read: () => budget.waits.samples(),
      },
      {
        name: 'pegboard.memory.refusals',
        kind: 'counter',
        unit: '{message}',
        description: 'Messages that were given up for want of memory, by use.',
        read: () => budget.refusals.samples(),
      },
    ],
  };
}
