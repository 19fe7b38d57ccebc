import { Histogram } from '../../kit/metrics/histogram.ts';
import { Tally } from '../../kit/metrics/tally.ts';
import type { Metric, MetricSource } from '../../contracts/metrics.ts';

const RUNS: Readonly<Record<string, string>> = {
  WorkflowExecutionCompleted: 'completed',
  WorkflowExecutionFailed: 'failed',
  WorkflowExecutionCancelled: 'cancelled',
};
const STEPS: Readonly<Record<string, string>> = {
  WorkflowStepCompleted: 'completed',
  WorkflowStepFailed: 'failed',
  WorkflowStepSkipped: 'skipped',
};
/** Seconds. */
const RUN_BOUNDS = [0.01, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1_800];

/** Runs and steps of workflows. */
export class RunMetrics implements MetricSource {
  readonly #names: () => readonly string[];
  readonly #running: () => readonly string[];
  readonly #runs = new Tally();
  readonly #durations = new Histogram(RUN_BOUNDS);
  readonly #steps = new Tally();

  /** @param names of the workflows that exist: only they have series
   *  @param running name of the workflow of each live run */
  constructor(names: () => readonly string[], running: () => readonly string[]) {
    this.#names = names;
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
        name: 'pegboard.workflow.runs',
        kind: 'counter',
        unit: '{run}',
        description: 'Runs that have ended, by workflow and status: completed, failed, cancelled.',
        read: () => {
          // An alert does not see the first failure of a series that begins with it.
          for (const workflow of this.#names())
            for (const status of Object.values(RUNS)) this.#runs.add({ workflow, status }, 0);
          return this.#existing(this.#runs).samples();
        },
      },
      {
        name: 'pegboard.workflow.running',
        kind: 'gauge',
        adds: true,
        unit: '{run}',
        description: 'Runs under way, by workflow.',
        read: () => {
          const running = new Tally();
          for (const workflow of this.#running()) running.add({ workflow });
          return running.samples();
        },
      },
      {
        name: 'pegboard.workflow.duration',
        kind: 'histogram',
        unit: 's',
        description: 'Time of runs, by workflow.',
        read: () => this.#existing(this.#durations).samples(),
      },
      {
        name: 'pegboard.workflow.steps',
        kind: 'counter',
        unit: '{step}',
        description: 'Steps that have ended, by workflow and status: completed, failed, skipped.',
        read: () => this.#existing(this.#steps).samples(),
      },
    ];
  }

  /** A run may outlive its workflow. */
  #existing<T extends Tally | Histogram>(counted: T): T {
    const names = new Set(this.#names());
    counted.keep(({ workflow = '' }) => names.has(workflow));
    return counted;
  }
}
