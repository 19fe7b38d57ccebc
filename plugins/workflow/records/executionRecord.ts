import { jsonText } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { ownerOf } from '../../kit/authority/ownerOf.ts';
import type { WorkflowConfig } from '../config.ts';
import type { RunStep, RunSummary } from '../../contracts/runs.ts';
import { failureText } from '../run/document.ts';
import { inOrder } from '../run/state.ts';
import type { Run, RunStatus, StepEntry } from '../run/state.ts';
import { omit } from '../definition/omit.ts';

/** The stored record of a step. Source: requirement workflow.execution. */
export interface StepRecord extends RunStep {
  readonly input: unknown;
  readonly [fact: string]: unknown;
}
/** The stored record of a run. */
export interface ExecutionRecord extends Omit<ExecutionSummary, 'step_count'> {
  /** The process that runs it. Only where it is stored, and only until the run has ended. */
  readonly process?: string;
  readonly input: unknown;
  readonly result?: unknown;
  readonly steps: readonly StepRecord[];
  readonly truncated?: true;
}
/** A run in a list. */
export interface ExecutionSummary extends RunSummary {
  readonly status: RunStatus;
  /** Never shown to clients. */
  readonly owner: string;
}

export interface ExecutionRow extends ExecutionSummary {
  readonly process?: string;
}

const TRUNCATED = '[truncated: payload exceeded retention size limit]';
const MAX_ERROR_CHARS = 8192;

/** The current record of a run, with secrets masked and its size bounded. */
export function executionRecordOf(run: Run, limits: WorkflowConfig): ExecutionRecord {
  const { id, workflow, status, startedAt, completedAt, secrets, input, document } = run;
  const error = failureText(run);
  const record: ExecutionRecord = {
    execution_id: id,
    workflow_name: workflow.name,
    status,
    started_at: new Date(startedAt).toISOString(),
    ...(completedAt !== undefined && { completed_at: new Date(completedAt).toISOString() }),
    duration_ms: completedAt === undefined ? 0 : completedAt - startedAt,
    owner: ownerOf(run.call.request),
    input: secrets.mask(input),
    ...(document && { result: secrets.mask(document) }),
    ...(error !== undefined && { error: shortened(secrets.text(error)) }),
    steps: inOrder(run.entries).map((entry) => stepRecord(entry, run)),
  };
  return bounded(record, limits);
}

export function summaryOf(record: ExecutionRecord): ExecutionSummary {
  return omit(rowOf(record), 'process');
}

/** The summary as it is stored. */
export function rowOf(record: ExecutionRecord): ExecutionRow {
  return { ...omit(record, 'input', 'result', 'steps', 'truncated'), step_count: record.steps.length };
}

function stepRecord(entry: StepEntry, { secrets }: Run): StepRecord {
  const { id, tool, status, startedAt, completedAt, condition } = entry;
  return {
    step_id: id,
    tool,
    status,
    started_at: new Date(startedAt).toISOString(),
    ...(completedAt !== undefined && { completed_at: new Date(completedAt).toISOString() }),
    duration_ms: completedAt === undefined ? 0 : completedAt - startedAt,
    ...(entry.attempts > 0 && { attempts: entry.attempts }),
    ...(entry.parent !== undefined && { parent: entry.parent }),
    ...(entry.iteration !== undefined && { iteration: entry.iteration }),
    ...(condition && {
      condition_evaluation: condition.passed,
      condition_tool: condition.tool,
      condition_result: secrets.mask(condition.result),
    }),
    input: secrets.mask(entry.input ?? {}),
    ...(entry.hasResult && { result: secrets.mask(entry.result), stored_as: id }),
    ...(entry.note !== undefined && { note: entry.note }),
    ...(entry.error !== undefined && { error: shortened(secrets.text(entry.error)) }),
  };
}

function shortened(text: string): string {
  return text.length > MAX_ERROR_CHARS ? `${text.slice(0, MAX_ERROR_CHARS)}…` : text;
}

/** Drops large fields, then steps, until the record fits its limits. */
function bounded(record: ExecutionRecord, limits: WorkflowConfig): ExecutionRecord {
  const { executionMaxBytes: maxBytes, executionMaxFieldBytes: maxFieldBytes } = limits;
  if (!exceeds(record, maxBytes)) return record;
  const fields = without(record, maxFieldBytes);
  if (!exceeds(fields, maxBytes)) return fields;
  const bare = without(record, 0);
  if (!exceeds(bare, maxBytes)) return bare;
  // Even without values there are too many steps: keep the last ones, which show how the run ended.
  const share = Math.floor((bare.steps.length * maxBytes) / (2 * bytesOf(bare)));
  return { ...bare, steps: bare.steps.slice(-Math.max(1, share)) };
}

function without(record: ExecutionRecord, maxFieldBytes: number): ExecutionRecord {
  const isLarge = (value: unknown): boolean => value !== undefined && exceeds(value, maxFieldBytes);
  const cut = <T extends { readonly input: unknown; readonly result?: unknown }>(one: T): T => ({
    ...one,
    ...(isLarge(one.input) && { input: { _truncated: TRUNCATED } satisfies JsonObject }),
    ...(isLarge(one.result) && { result: TRUNCATED }),
  });
  const steps = record.steps.map((step) => {
    const { condition_result: result, ...rest } = cut(step);
    return {
      ...rest,
      ...(result !== undefined && { condition_result: isLarge(result) ? TRUNCATED : result }),
    };
  });
  return { ...cut(record), steps, truncated: true };
}

/** Whether the JSON text of a value is larger; avoids serializing a value that surely is. */
function exceeds(value: unknown, maxBytes: number): boolean {
  return leastBytes(value, maxBytes) > maxBytes || bytesOf(value) > maxBytes;
}

/** A lower bound for the size of the JSON text; stops counting above `enough`. */
function leastBytes(root: unknown, enough: number): number {
  const waiting = [root];
  let bytes = 0;
  while (waiting.length > 0 && bytes <= enough) {
    const value = waiting.pop();
    bytes += typeof value === 'string' ? value.length + 2 : 1;
    if (typeof value !== 'object' || value === null) continue;
    const parts = Object.values(value).filter((part) => part !== undefined);
    bytes += parts.length;
    for (const part of parts) waiting.push(part);
  }
  return bytes;
}

/** The size of the JSON text; infinite for a value that cannot be serialized (nested too deeply). */
function bytesOf(value: unknown): number {
  const text = jsonText(value);
  return text === undefined ? Infinity : Buffer.byteLength(text);
}
