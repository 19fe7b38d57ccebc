import { randomUUID } from 'node:crypto';
import type { MetricData, MetricProducer } from '@opentelemetry/sdk-metrics';
import type { Log } from 'pegboard';
import type { WorkerLine } from '../../contracts/processes.ts';

export const TOPIC = 'metrics';
/** One per process, so that a restart of the plugin does not make this process another one. */
const OWN = randomUUID();

export interface ToldMetrics {
  /** Another one for each process. */
  readonly id: string;
  /** What was asked; undefined: told unasked. */
  readonly round: number | undefined;
  readonly metrics: readonly MetricData[];
}

/** A worker tells the first process its metrics: at its start, when asked, and at its end. @returns ends it */
export async function tellMetrics(
  line: WorkerLine,
  producer: MetricProducer,
  log: Log,
): Promise<() => Promise<void>> {
  const tell = async (round?: number): Promise<void> => {
    try {
      const { resourceMetrics } = await producer.collect();
      const metrics = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics);
      await line.ask(TOPIC, { id: OWN, round, metrics } satisfies ToldMetrics);
    } catch (error) {
      log.warn('metrics did not reach the first process', { error });
    }
  };
  const end = line.hear(({ topic, round }) => {
    if (topic === TOPIC) void tell(Number(round));
  });
  await tell();
  return async () => {
    end();
    await tell();
  };
}
