import { Cancellation, messageOf } from 'pegboard';
import { runComposite, runInOrder, stopOf } from './composite.ts';
import type { Stop } from './composite.ts';
import { debugDocument, failedDocument, standardDocument } from './document.ts';
import type { Step, ToolStep } from '../definition/model.ts';
import { renderAnswer } from './render.ts';
import { newScope } from './state.ts';
import type { Frame, Run } from './state.ts';
import { runToolStep } from './step.ts';

const PHASE = { steps: 0, onFailure: 1, finally: 2 } as const;

/** Runs a workflow to its end; never throws. Sets `status`, `failure` and `document` of the run.
 *  @param changed called when an entry has started its call or ended */
export async function runWorkflow(run: Run, changed: () => void): Promise<void> {
  const { workflow, cancel, config } = run;
  const timeoutMs = workflow.timeoutMs ?? config.runTimeoutMs;
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    cancel.cancel(`the workflow timed out after ${timeoutMs} ms`);
  }, timeoutMs);
  const meta = run.span?.meta ?? run.call.meta;
  const place = { phase: 'steps', order: [PHASE.steps] } as const;
  const frame: Frame = { run, scope: newScope(), cancel, meta, ...place, changed };
  try {
    const stop = await runSteps(workflow.steps, frame);
    if (stop !== undefined) fail(run, stop, isLate);
  } finally {
    clearTimeout(timer);
  }
  // An output template that fails also fails the run, but clean-up does not see that failure.
  const answer = run.failure === undefined ? await answerOf(frame) : undefined;
  await cleanUp(frame, answer?.error === undefined ? run.failure !== undefined : false);
  if (run.failure === undefined && answer?.error === undefined) run.status = 'completed';
  if (answer?.error !== undefined) {
    run.status = 'failed';
    run.failure = { message: answer.error };
  }
  run.completedAt = Date.now();
  run.document = answer === undefined ? failedDocument(run) : answer.document();
}

function fail(run: Run, stop: NonNullable<Stop>, isLate: boolean): void {
  const reason = run.cancel.reason;
  run.status = reason === undefined || isLate ? 'failed' : 'cancelled';
  const message = reason ?? stop.message;
  run.failure = { ...stop, message };
}

async function runSteps(steps: readonly Step[], frame: Frame): Promise<Stop> {
  const { run } = frame;
  for (const [index, step] of steps.entries()) {
    if (frame.cancel.reason !== undefined) return { message: frame.cancel.reason };
    const here = { ...frame, order: [...frame.order, index] };
    const stop =
      step.kind === 'tool' ? stopOf(await runToolStep(step, here), here) : await runComposite(step, here);
    run.progress(
      index + 1,
      `step ${step.id} ${stop ? 'failed' : (frame.scope.steps[step.id]?.status ?? 'completed')}`,
    );
    if (stop !== undefined) return stop;
  }
  return undefined;
}

/** Runs onFailure and finally with their own timeout, also after a cancelled or timed-out run. */
async function cleanUp(frame: Frame, hasFailed: boolean): Promise<void> {
  const { run } = frame;
  const { onFailure, finally: last } = run.workflow;
  const phases: readonly (readonly ['onFailure' | 'finally', readonly ToolStep[]])[] = [
    ['onFailure', hasFailed ? onFailure : []],
    ['finally', last],
  ];
  if (phases.every(([, steps]) => steps.length === 0)) return;
  const cancel = new Cancellation();
  const ms = run.config.cleanupTimeoutMs;
  const timer = setTimeout(() => cancel.cancel(`clean-up timed out after ${ms} ms`), ms);
  try {
    for (const [phase, steps] of phases) {
      await runInOrder(steps, { ...frame, cancel, phase, order: [PHASE[phase]] });
    }
  } finally {
    clearTimeout(timer);
  }
}

interface Answer {
  readonly error?: string;
  /** Called at the end, when the entries of clean-up are complete. */
  readonly document: () => NonNullable<Run['document']>;
}

async function answerOf(frame: Frame): Promise<Answer> {
  const { run } = frame;
  const { output } = run.workflow;
  if (output === undefined)
    return { document: () => (run.isDebug ? debugDocument(run) : standardDocument(run)) };
  try {
    const rendered = await renderAnswer(output, frame);
    const answer = { ...rendered, execution_id: run.id };
    return { document: () => (run.isDebug ? { ...debugDocument(run), output: rendered } : answer) };
  } catch (error) {
    const text = messageOf(error);
    return { error: text, document: () => ({ ...debugDocument(run), output_error: text }) };
  }
}
