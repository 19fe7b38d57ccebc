import { isObject } from 'pegboard';
import type { JsonObject, Position } from 'pegboard';
import { isInteger } from '../definition/integers.ts';
import { allSteps } from '../definition/model.ts';
import type { ToolStep } from '../definition/model.ts';
import { omit } from '../definition/omit.ts';
import { inOrder } from './state.ts';
import type { Run, StepEntry } from './state.ts';

/** Keys that a tool's result may not overwrite. */
const OWN_KEYS = ['execution_id', 'workflow', 'status', 'input', 'steps', 'template_vars', 'error'];

/** The document of a completed run without an output template. */
export function standardDocument(run: Run): JsonObject {
  return { ...lastResult(run), ...bareDocument(run, false) };
}

/** The same with every result visible. */
export function debugDocument(run: Run): JsonObject {
  return bareDocument(run, true);
}

/** The document of a run that failed or was cancelled: the steps so far and the error. */
export function failedDocument(run: Run): JsonObject {
  const { failure } = run;
  const { file, line } = placeOf(run);
  const error = {
    message: failureText(run) ?? 'failed',
    ...pick(failure?.step, 'step'),
    ...pick(failure?.tool, 'tool'),
    ...pick(file, 'file'),
    ...pick(line, 'line'),
  };
  return { ...bareDocument(run, run.isDebug), error: run.secrets.mask(error) };
}

/** The position of the failed step in the definition that the run started with. */
function placeOf({ workflow, failure, locate }: Run): Position {
  const step = allSteps(workflow).find(({ id }) => id === failure?.step);
  return step === undefined ? {} : locate(step.path);
}

/** `step <id> failed: <message>`; undefined if nothing has failed. */
export function failureText({ failure }: Pick<Run, 'failure'>): string | undefined {
  if (failure === undefined) return undefined;
  return failure.step === undefined ? failure.message : `step ${failure.step} failed: ${failure.message}`;
}

function bareDocument(run: Run, showsAll: boolean): JsonObject {
  const { id, workflow, status, input, secrets, entries, startedAt, completedAt = Date.now() } = run;
  return {
    execution_id: id,
    workflow: workflow.name,
    status,
    input: secrets.mask(input),
    steps: inOrder(entries).map((entry) => stepOf(entry, run, showsAll)),
    template_vars: [...run.variables],
    started_at: new Date(startedAt).toISOString(),
    duration_ms: completedAt - startedAt,
  };
}

function stepOf(entry: StepEntry, { secrets }: Run, showsAll: boolean): JsonObject {
  const { condition } = entry;
  const shown = showsAll || entry.isVisible || entry.status === 'failed';
  return {
    id: entry.id,
    tool: entry.tool,
    status: entry.status,
    ...pick(entry.parent, 'parent'),
    ...pick(entry.iteration, 'iteration'),
    ...(entry.phase !== 'steps' && { phase: entry.phase }),
    started_at: new Date(entry.startedAt).toISOString(),
    duration_ms: (entry.completedAt ?? Date.now()) - entry.startedAt,
    ...(entry.attempts > 0 && { attempts: entry.attempts }),
    ...(entry.input && (shown || !entry.hidesInput) && { input: secrets.mask(entry.input) }),
    ...(condition && {
      condition_evaluation: condition.passed,
      condition_result: secrets.mask(condition.result),
      condition_tool: condition.tool,
    }),
    ...(entry.allowFailure && { allow_failure: true }),
    ...(shown && entry.hasResult && entry.result !== null && { result: entry.result }),
    ...pick(entry.note, 'note'),
    ...(entry.error !== undefined && { error: secrets.text(entry.error) }),
  };
}

/** The fields of the last step's result, added to the document unless the step shows its result itself. */
function lastResult({ workflow, entries }: Run): JsonObject {
  const last = workflow.steps.at(-1);
  if (last?.kind !== 'tool' || last.isVisible) return {};
  const entry = entries.find((one) => isOf(one, last));
  if (entry?.status !== 'completed' || !isObject(entry.result) || isInteger(entry.result)) return {};
  return omit(entry.result, ...OWN_KEYS);
}

function isOf(entry: StepEntry, { id }: ToolStep): boolean {
  return entry.id === id && entry.phase === 'steps';
}

function pick(value: unknown, key: string): JsonObject {
  return value === undefined ? {} : { [key]: value };
}
