import type { DefinedStep, RunFacts, RunStep, WorkflowRuns } from '../../contracts/runs.ts';
import { innerSteps } from '../definition/model.ts';
import type { Step } from '../definition/model.ts';
import { omit } from '../definition/omit.ts';
import { summaryOf } from '../records/executionRecord.ts';
import type { ExecutionRecord, ExecutionSummary, StepRecord } from '../records/executionRecord.ts';
import { isVisibleTo } from './isVisibleTo.ts';
import type { ToolParts } from './toolParts.ts';

/** The runs of all callers; values of those only that the request may read. */
export function allRuns(parts: Pick<ToolParts, 'executions' | 'config' | 'registry'>): WorkflowRuns {
  return {
    list: async ({ readableBy: by, ...filter }) => {
      const isVisible = (one: Pick<ExecutionSummary, 'owner'>): boolean =>
        by === undefined || isVisibleTo(by, one, parts);
      const found = await parts.executions.list({ ...filter, isVisible });
      return found.map((one) => omit(one, 'owner'));
    },
    find: async (id, request, isOperator) => {
      const record = await parts.executions.get(id);
      const isOpen = isOperator && parts.config().executionVisibility === 'operators';
      return record && factsOf(record, isOpen || isVisibleTo(request, record, parts));
    },
    definedSteps: (name) => {
      const workflow = parts.registry.find(name)?.workflow;
      if (workflow === undefined) return undefined;
      const { steps, onFailure, finally: last } = workflow;
      return { steps: steps.map(defined), onFailure: onFailure.map(defined), finally: last.map(defined) };
    },
  };
}

function defined(step: Step): DefinedStep {
  return { step_id: step.id, kind: step.kind, steps: innerSteps(step).map(defined) };
}

function factsOf(record: ExecutionRecord, hasValues: boolean): RunFacts {
  const { input, result, steps, truncated } = record;
  return {
    ...omit(summaryOf(record), 'owner'),
    hasValues,
    ...(hasValues && { input, ...(result !== undefined && { result }) }),
    steps: steps.map((step) => stepFacts(step, hasValues)),
    ...(truncated && { truncated }),
  };
}

function stepFacts(step: StepRecord, hasValues: boolean): RunStep {
  const { step_id, tool, status, started_at, completed_at, duration_ms, error } = step;
  const { parent, iteration, attempts } = step;
  return {
    step_id,
    tool,
    status,
    started_at,
    duration_ms,
    ...(completed_at !== undefined && { completed_at }),
    ...(error !== undefined && { error }),
    ...(parent !== undefined && { parent }),
    ...(iteration !== undefined && { iteration }),
    ...(attempts !== undefined && { attempts }),
    ...(hasValues && { input: step.input, ...(step.result !== undefined && { result: step.result }) }),
  };
}
