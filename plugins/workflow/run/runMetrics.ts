import { Histogram } from '../../kit/metrics/histogram.ts';
import { Tally } from '../../kit/metrics/tally.ts';
import type { Metric, MetricSource } from '../../contracts/metrics.ts';

const RUNS: Partial<Readonly<Record<string, string>>> = {
  WorkflowExecutionCompleted: 'completed',
  WorkflowExecutionFailed: 'failed',
  WorkflowExecutionCancelled: 'cancelled',
};
const STEPS: Partial<Readonly<Record<string, string>>> = {
  WorkflowStepCompleted: 'completed',
  WorkflowStepFailed: 'failed',
  WorkflowStepSkipped: 'skipped',
};
/** Seconds. */
const RUN_BOUNDS = [0.01, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1_800];

/** Runs and steps of workflows. */
export class RunMetrics implements MetricSource {
  readonly #exists: (workflow: string) => boolean;
  readonly #running: () => readonly string[];
  readonly #runs = new Tally();
  readonly #durations = new Histogram(RUN_BOUNDS);
  readonly #steps = new Tally();

  /** @param exists only workflows that exist have series
   *  @param running name of the workflow of each live run */
  constructor(exists: (workflow: string) => boolean, running: () => readonly string[]) {
    this.#exists = exists;
    this.#running = running;
  }

  /** @param ms of a run that has ended */
  count(reason: string, workflow: string, ms: number | undefined): void {
    const [run, step] = [RUNS[reason], STEPS[reason]];
    if (step !== undefined) this.#steps.add({ workflow, status: step });
    if (run === undefined) return;
    this.#runs.add({ workflow, status: run });
    if (ms !== undefined) this.#durations.record({ workflow }, ms / 1_000);
  }

  get metrics(): readonly Metric[] {
    return [
      {
        name: 'mcp.workflow.runs',
        kind: 'counter',
        unit: '{run}',
        description: 'Runs that have ended, by workflow and status: completed, failed, cancelled.',
        read: () => this.#existing(this.#runs).samples(),
      },
      {
        name: 'mcp.workflow.running',
        kind: 'gauge',
        unit: '{run}',
        description: 'Runs under way, by workflow.',
        read: () => {
          const running = new Tally();
          for (const workflow of this.#running()) running.add({ workflow });
          return running.samples();
        },
      },
      {
        name: 'mcp.workflow.duration',
        kind: 'histogram',
        unit: 's',
        description: 'Time of runs, by workflow.',
        read: () => this.#existing(this.#durations).samples(),
      },
      {
        name: 'mcp.workflow.steps',
        kind: 'counter',
        unit: '{step}',
        description: 'Steps that have ended, by workflow and status: completed, failed, skipped.',
        read: () => this.#existing(this.#steps).samples(),
      },
    ];
  }

  /** A run may outlive its workflow. */
  #existing<T extends Tally | Histogram>(counted: T): T {
    counted.keep(({ workflow = '' }) => this.#exists(workflow));
    return counted;
  }
}
