import { messageOf } from 'pegboard';
import type { Log } from 'pegboard';
import { traceIdOf } from '../../kit/calls/traceIdOf.ts';
import type { Executions } from './executions.ts';
import { executionRecordOf } from './executionRecord.ts';
import type { Run } from '../run/state.ts';

/** Writes the record of one run as it changes: the first change at once, further ones at most every
 *  `executionWriteMs`, because each write stores the whole record. */
export class Saver {
  readonly #run: Run;
  readonly #executions: Executions;
  readonly #log: Log;
  #isDirty = false;
  #isEnding = false;
  #writing: Promise<void> | undefined;
  #endPause: (() => void) | undefined;

  constructor(run: Run, executions: Executions, log: Log) {
    this.#run = run;
    this.#executions = executions;
    this.#log = log;
  }

  begin(): Promise<boolean> {
    return this.#guarded(() => this.#executions.begin(this.#record()));
  }

  touch(): void {
    this.#isDirty = true;
    this.#writing ??= this.#writeOn();
  }

  /** @returns whether the final record was written */
  async end(): Promise<boolean> {
    this.#isEnding = true;
    this.#endPause?.();
    await this.#writing;
    return this.#guarded(() => this.#executions.end(this.#record()));
  }

  async #writeOn(): Promise<void> {
    // Steps that end in the same turn share a write.
    await Promise.resolve();
    while (this.#isDirty && !this.#isEnding) {
      this.#isDirty = false;
      await this.#guarded(() => this.#executions.update(this.#record()));
      await this.#pause();
    }
    this.#writing = undefined;
  }

  #pause(): Promise<void> {
    const ms = this.#run.config.executionWriteMs;
    if (this.#isEnding || ms === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** A run continues when its record cannot be written: the effects of its tools matter more. */
  async #guarded(write: () => Promise<void>): Promise<boolean> {
    const { id, workflow, events, call } = this.#run;
    try {
      await write();
      return true;
    } catch (error) {
      const reason = messageOf(error);
      this.#log.warn('record of a run could not be written', {
        workflow: workflow.name,
        execution: id,
        trace: traceIdOf(call.meta),
        reason,
      });
      events.tellOf(
        this.#run,
        'WorkflowExecutionStoreFailed',
        `execution state could not be persisted (execution: ${id}): ${reason}`,
      );
      return false;
    }
  }

  #record(): ReturnType<typeof executionRecordOf> {
    return executionRecordOf(this.#run, this.#run.config);
  }
}
