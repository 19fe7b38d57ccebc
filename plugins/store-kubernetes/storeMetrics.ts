import type { Labels, Metric, MetricSource } from '../contracts/metrics.ts';
import type { Tally } from '../kit/metrics/tally.ts';
import type { WatchedKind } from './store/definitions.ts';

export interface StoreMetricsParts {
  readonly requests: Tally;
  readonly watched: () => readonly WatchedKind[];
  readonly isLeader: () => boolean;
  /** How many writes wait, by what they write. */
  readonly pending: Readonly<Record<'status' | 'event', () => number>>;
}

/** How current the definitions are, and what the API server is asked. */
export function storeMetrics({ requests, watched, isLeader, pending }: StoreMetricsParts): MetricSource {
  const metrics: readonly Metric[] = [
    {
      name: 'pegboard.definitions.stale',
      kind: 'gauge',
      unit: 's',
      description:
        'Time since the API server last sent anything, by kind of definition; up to 20 s if all is well.',
      read: () => watched().map((one) => ({ value: one.silentMs / 1_000, labels: placeIn(one) })),
    },
    {
      name: 'pegboard.leader',
      kind: 'gauge',
      unit: '1',
      description: 'Whether this process holds the Lease, and so writes status and Events: 1 or 0.',
      read: () => [{ value: isLeader() ? 1 : 0 }],
    },
    {
      name: 'pegboard.kubernetes.requests',
      kind: 'counter',
      unit: '{request}',
      description:
        'Requests to the API server that have ended, by verb and HTTP status; none: no answer came.',
      read: () => requests.samples(),
    },
    {
      name: 'pegboard.kubernetes.watch.restarts',
      kind: 'counter',
      unit: '{restart}',
      description: 'Watches that began anew after an error, by kind of definition.',
      read: () => watched().map((one) => ({ value: one.restarts, labels: placeIn(one) })),
    },
    {
      name: 'pegboard.kubernetes.writes.pending',
      kind: 'gauge',
      adds: true,
      unit: '{write}',
      description: 'Writes that wait, by what they write: status, event.',
      read: () => Object.entries(pending).map(([what, read]) => ({ value: read(), labels: { what } })),
    },
  ];
  return { metrics };
}

function placeIn({ kind, namespace }: WatchedKind): Labels {
  return { kind, ...(namespace !== undefined && { namespace }) };
}
