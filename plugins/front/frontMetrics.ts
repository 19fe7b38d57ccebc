import type { Metric, MetricSource, Sample } from '../contracts/metrics.ts';
import type { Tally } from '../kit/metrics/tally.ts';
import type { QuestionCounts } from './client/questionCounts.ts';

/** Transport and revision of a session, a stream or a call: the labels of its metrics. */
export interface MetricOrigin {
  readonly transport: string;
  readonly revision: string;
}
export interface FrontMetricsParts {
  readonly sessions: () => Iterable<MetricOrigin>;
  readonly streams: () => Iterable<MetricOrigin>;
  readonly opened: Tally;
  readonly questions: QuestionCounts;
  readonly parked: () => number;
}

/** Clients as they are when an exporter asks. */
export function frontMetrics({
  sessions,
  streams,
  opened,
  questions,
  parked,
}: FrontMetricsParts): MetricSource {
  const metrics: readonly Metric[] = [
    {
      name: 'pegboard.sessions',
      kind: 'gauge',
      adds: true,
      unit: '{session}',
      description: 'Sessions that were used at this process and have not ended, by transport and revision.',
      read: () => countsOf(sessions()),
    },
    {
      name: 'pegboard.sessions.opened',
      kind: 'counter',
      unit: '{session}',
      description: 'Sessions that clients have opened, by transport and revision.',
      read: () => opened.samples(),
    },
    {
      name: 'pegboard.streams',
      kind: 'gauge',
      adds: true,
      unit: '{stream}',
      description: 'Standing streams of sessions, also those that wait for their client to resume them.',
      read: () => countsOf(streams()),
    },
    {
      name: 'pegboard.questions.asked',
      kind: 'counter',
      unit: '{question}',
      description: 'Questions of servers to clients, by kind: elicitation, sampling, roots.',
      read: () => questions.asked.samples(),
    },
    {
      name: 'pegboard.questions.answered',
      kind: 'counter',
      unit: '{question}',
      description:
        'How they ended, by kind and answer: result, error, or none (withdrawn, refused, too late).',
      read: () => questions.answered.samples(),
    },
    {
      name: 'pegboard.questions.open',
      kind: 'gauge',
      adds: true,
      unit: '{question}',
      description: 'Questions that wait for an answer.',
      read: () => [{ value: questions.open }],
    },
    {
      name: 'pegboard.calls.parked',
      kind: 'gauge',
      adds: true,
      unit: '{call}',
      description: 'Calls without a session that wait for their client to return with answers.',
      read: () => [{ value: parked() }],
    },
  ];
  return { metrics };
}

function countsOf(all: Iterable<MetricOrigin>): readonly Sample[] {
  const counts = new Map<
    string,
    { value: number; readonly labels: { transport: string; revision: string } }
  >();
  for (const { transport, revision } of all) {
    const key = `${transport} ${revision}`;
    const known = counts.get(key);
    if (known === undefined) counts.set(key, { value: 1, labels: { transport, revision } });
    else known.value += 1;
  }
  return [...counts.values()];
}
