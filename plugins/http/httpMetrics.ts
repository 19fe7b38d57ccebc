import type { MetricSource } from '../contracts/metrics.ts';
import type { Tally } from '../kit/metrics/tally.ts';

/** The public listener. @param refusals by status @param connections open ones */
export function httpMetrics(refusals: Tally, connections: () => number): MetricSource {
  return {
    metrics: [
      {
        name: 'pegboard.http.connections',
        kind: 'gauge',
        adds: true,
        unit: '{connection}',
        description: 'Open connections of clients.',
        read: () => [{ value: connections() }],
      },
      {
        name: 'pegboard.http.refusals',
        kind: 'counter',
        unit: '{request}',
        description: 'Requests that were refused before MCP, by status.',
        read: () => refusals.samples(),
      },
    ],
  };
}
