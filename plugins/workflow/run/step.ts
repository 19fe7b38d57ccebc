import { isGatewayError, messageOf } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { callStepTool, isCancelled, pauseRun } from './callStepTool.ts';
import { evaluateCondition } from './evaluateCondition.ts';
import type { Retry, RetryCause, Step, ToolStep } from '../definition/model.ts';
import { renderArguments, renderOutputs } from './render.ts';
import { nestedFailure } from './nestedFailure.ts';
import { beginEntry } from './state.ts';
import type { Frame, StepEntry } from './state.ts';
import { readResult } from './readResult.ts';
import type { StepOutcome } from './readResult.ts';

/** Runs one tool step to its end; never throws: a failure is the entry's status. Source: requirement workflow.allowFailure. */
export async function runToolStep(step: ToolStep, frame: Frame): Promise<StepEntry> {
  const { run, iteration, meta } = frame;
  const { id, tool } = step;
  const work = { type: 'step', workflow: run.workflow.name, step: id, tool, iteration } as const;
  const span = run.tracer?.begin(work, meta);
  const entry = await runStep(step, span === undefined ? frame : { ...frame, meta: span.meta });
  span?.end({ status: entry.status });
  return entry;
}

async function runStep(step: ToolStep, frame: Frame): Promise<StepEntry> {
  const { turns } = frame.run;
  while (turns.isDue) await turns.next();
  const entry = beginEntry(frame, step);
  try {
    if (!(await holds(step, entry, frame))) return endEntry(entry, frame, 'skipped');
    entry.input = await argumentsOf(step, frame);
    frame.run.secrets.add(frame.run.secretsOf(step.tool, entry.input));
    tell(frame, entry, 'WorkflowStepStarted', `started (tool: ${step.tool})`);
    frame.changed();
    const outcome = await callWithRetry(step, entry.input, { entry, frame });
    if (outcome.isError) return failWith(outcome, entry, frame);
    entry.note = outcome.note;
    if (outcome.note === undefined) {
      entry.result = outcome.value;
      entry.hasResult = true;
    }
    if (step.outputs) Object.assign(frame.scope.vars, await renderOutputs(step.outputs, entry.result, frame));
    return endEntry(entry, frame, 'completed');
  } catch (error) {
    const reason = entry.note === undefined ? messageOf(error) : `${messageOf(error)}; the ${entry.note}`;
    const text = isCancelled(error, frame) ? `cancelled: ${frame.cancel.reason ?? ''}` : reason;
    return failWith({ isError: true, value: undefined, text }, entry, frame);
  }
}

/** Evaluates a step's condition and records it in the entry. @throws Error if it cannot be evaluated */
export async function holds(step: Step, entry: StepEntry, frame: Frame): Promise<boolean> {
  if (step.condition === undefined) return true;
  const verdict = await evaluateCondition(step.condition, step.id, frame);
  entry.condition = verdict;
  tell(frame, entry, 'WorkflowStepConditionEvaluated', `condition evaluated to ${verdict.passed}`);
  return verdict.passed;
}

export function failWith({ value, text, note }: StepOutcome, entry: StepEntry, frame: Frame): StepEntry {
  const silent = `the tool reported a failure without a text${note === undefined ? '' : `; its ${note}`}`;
  entry.error = text === '' ? silent : text;
  if (value !== undefined) {
    entry.result = value;
    entry.hasResult = true;
  }
  return endEntry(entry, frame, 'failed');
}

/** Ends an entry and publishes its result to later steps, the record and event listeners. */
export function endEntry(
  entry: StepEntry,
  frame: Frame,
  status: 'completed' | 'failed' | 'skipped',
): StepEntry {
  const { run, scope } = frame;
  entry.status = status;
  entry.completedAt = Date.now();
  scope.steps[entry.id] = { status };
  if (status === 'completed' && entry.hasResult) scope.results[entry.id] = entry.result;
  if (status === 'failed') scope.results[entry.id] = { error: entry.error, success: false, isError: true };
  if (status === 'completed') tell(frame, entry, 'WorkflowStepCompleted', 'completed successfully');
  if (status === 'skipped')
    tell(
      frame,
      entry,
      'WorkflowStepSkipped',
      `skipped: condition evaluation returned ${entry.condition?.passed ?? false}`,
    );
  if (status === 'failed') {
    const allowed = entry.allowFailure ? ' (allow_failure=true, continuing)' : '';
    tell(frame, entry, 'WorkflowStepFailed', `failed${allowed}: ${run.secrets.text(entry.error ?? '')}`);
  }
  frame.changed();
  return entry;
}

function tell(
  { run }: Frame,
  { id, tool }: StepEntry,
  reason: Parameters<typeof run.events.tell>[0],
  rest: string,
): void {
  run.events.tellOf(run, reason, `step ${id} ${rest}`, { step: id, tool });
}

async function argumentsOf({ id, tool, args }: ToolStep, frame: Frame): Promise<JsonObject> {
  try {
    return await renderArguments(args, tool, frame);
  } catch (error) {
    throw new Error(`failed to resolve arguments for step ${id}: ${messageOf(error)}`, { cause: error });
  }
}

interface Attempting {
  readonly entry: StepEntry;
  readonly frame: Frame;
}

/** @throws the error of the last attempt */
async function callWithRetry(
  step: ToolStep,
  args: JsonObject,
  { entry, frame }: Attempting,
): Promise<StepOutcome> {
  const { retry, tool, timeoutMs } = step;
  for (;;) {
    entry.attempts += 1;
    const isLast = retry === undefined || entry.attempts > retry.max;
    try {
      const result = await callStepTool(frame, tool, args, timeoutMs);
      await frame.run.memory.takes(result.json.length);
      const outcome = nestedFailure(tool, readResult(result));
      if (!outcome.isError || isLast || !retry.on.includes('isError')) return outcome;
    } catch (error) {
      if (isLast || isCancelled(error, frame)) throw error;
      const cause = causeOf(error);
      if (cause === undefined || !retry.on.includes(cause)) throw error;
    }
    await pauseRun(delayBefore(entry.attempts, retry), frame);
  }
}

function delayBefore(attempt: number, { delayMs, factor, maxDelayMs }: Retry): number {
  return Math.min(maxDelayMs, delayMs * factor ** (attempt - 1));
}

/** Only failures of the call itself are retried: a retry does not help against wrong names or arguments. */
function causeOf(error: unknown): RetryCause | undefined {
  if (!isGatewayError(error)) return undefined;
  if (error.code === 'UPSTREAM_TIMEOUT') return 'timeout';
  if (error.code === 'UPSTREAM_ERROR') return 'isError';
  return error.code.startsWith('UPSTREAM_') ? 'transport' : undefined;
}
