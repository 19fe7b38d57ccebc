import { CHANGING, GatewayError, coreTool, isObject, structuredResult, validateArguments } from 'pegboard';
import type { InboundRequest, JsonObject, JsonSchema, Tool } from 'pegboard';
import { isOperator } from '../../kit/authority/adminPages.ts';
import { CANCELLED, cancelElsewhere, cancelledElsewhere } from './remoteCancel.ts';
import type { ToolParts } from './toolParts.ts';
import { isVisibleTo } from './isVisibleTo.ts';
import type { ExecutionRecord, StepRecord } from '../records/executionRecord.ts';
import { omit } from '../definition/omit.ts';

const STATUSES = ['running', 'completed', 'failed', 'cancelled'];
const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 1000;
const EXECUTION_ID: JsonObject = { description: 'Id of the run.', type: 'string' };

const LIST_ARGUMENTS: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    limit: {
      description: 'How many runs to return.',
      type: 'number',
      minimum: 1,
      maximum: MAX_LIMIT,
      default: DEFAULT_LIMIT,
    },
    offset: { description: 'How many to skip.', type: 'number', minimum: 0, default: 0 },
    status: { description: 'Only runs in this state.', type: 'string', enum: STATUSES },
    workflow_name: { description: 'Only runs of this workflow.', type: 'string' },
  },
};
const GET_ARGUMENTS: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['execution_id'],
  properties: {
    execution_id: EXECUTION_ID,
    include_steps: {
      description: 'Whether the steps are part of the answer.',
      type: 'boolean',
      default: true,
    },
    step_id: { description: 'Only this step; <id>_<n> is one iteration of a loop.', type: 'string' },
  },
};
const CANCEL_ARGUMENTS: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['execution_id'],
  properties: { execution_id: EXECUTION_ID },
};

/** The tools for runs. Source: requirement workflow.executionList, workflow.executionGet. */
export function executionTools(parts: ToolParts): readonly Tool[] {
  return [listTool(parts), getTool(parts), cancelTool(parts)];
}

function listTool(parts: ToolParts): Tool {
  const name = 'core_workflow_execution_list';
  return coreTool({
    name,
    authority: 'use',
    description: 'List runs of workflows, newest first',
    schema: LIST_ARGUMENTS,
    read: (args) => {
      const limit = wholeNumber(args, 'limit', { preset: DEFAULT_LIMIT, min: 1, max: MAX_LIMIT });
      const offset = wholeNumber(args, 'offset', { preset: 0, min: 0, max: Infinity });
      const status = statusIn(args);
      const given = Object.entries({ ...args, status }).filter(([, value]) => (value ?? null) !== null);
      const { workflow_name: workflow } = validateArguments(LIST_ARGUMENTS, Object.fromEntries(given), name);
      return { limit, offset, status, workflow };
    },
    run: async ({ limit, offset, status, workflow }, { request }) => {
      const found = await parts.executions.list({
        isVisible: (one) => isVisibleTo(request, one, parts),
        ...(typeof status === 'string' && { status }),
        ...(typeof workflow === 'string' && workflow !== '' && { workflow }),
      });
      const executions = found.slice(offset, offset + limit).map((one) => omit(one, 'owner'));
      return structuredResult({
        executions,
        total: found.length,
        limit,
        offset,
        has_more: offset + executions.length < found.length,
      });
    },
  });
}

function getTool(parts: ToolParts): Tool {
  const name = 'core_workflow_execution_get';
  return coreTool({
    name,
    authority: 'use',
    description: 'Get one run of a workflow: state, times, input, result and steps',
    schema: GET_ARGUMENTS,
    read: (args) => {
      const id = requiredId(args);
      const { include_steps: includesSteps = true, step_id: step } = args;
      if (typeof includesSteps !== 'boolean') throw fault('include_steps must be a boolean value');
      if (step === null) throw fault('step_id cannot be null');
      if (step === '') throw fault('step_id is invalid: cannot be empty');
      validateArguments(GET_ARGUMENTS, args, name);
      return { id, includesSteps, step };
    },
    run: async ({ id, includesSteps, step }, { request }) => {
      const record = await found(id, parts, request);
      if (typeof step === 'string') return structuredResult(oneStep(record, step));
      return structuredResult(includesSteps ? omit(record, 'owner') : withoutSteps(record));
    },
  });
}

function cancelTool(parts: ToolParts): Tool {
  const name = 'core_workflow_execution_cancel';
  return coreTool({
    name,
    authority: 'use',
    description: 'Cancel a run of a workflow and the call it is making; answers when its clean-up has run',
    schema: CANCEL_ARGUMENTS,
    hints: CHANGING,
    read: (args) => {
      const id = requiredId(args);
      validateArguments(CANCEL_ARGUMENTS, args, name);
      return id;
    },
    run: async (id, { request, cancel }) => {
      const find = (): Promise<ExecutionRecord> => found(id, parts, request, isOperator(request));
      const before = await find();
      const isHere = await parts.runs.cancel(id, CANCELLED);
      const isElsewhere =
        !isHere && before.status === 'running' && (await cancelElsewhere(id, parts, cancel));
      const { status, error = '' } = isHere || isElsewhere ? await find() : before;
      const message = isElsewhere ? cancelledElsewhere(id, status, error) : cancelledHere(id, status, isHere);
      return structuredResult({ execution_id: id, status, message });
    },
  });
}

/** @param isOfAny whether runs of other callers count too
 *  @throws GatewayError RESOURCE_NOT_FOUND, also for a run of another caller, to hide that it exists */
async function found(
  id: string,
  parts: ToolParts,
  request: InboundRequest,
  isOfAny = false,
): Promise<ExecutionRecord> {
  const record = await parts.executions.get(id);
  if (record !== undefined && (isOfAny || isVisibleTo(request, record, parts))) return record;
  throw fault(`Failed to get execution: execution ${id} not found`, 'RESOURCE_NOT_FOUND');
}

function cancelledHere(id: string, status: string, wasRunning: boolean): string {
  if (wasRunning) return `execution ${id} is ${status}`;
  if (status !== 'running') return `execution ${id} had ended already: ${status}`;
  return `execution ${id} runs in another process, which cannot be told: enable vault-redis in all processes, or cancel it there`;
}

function withoutSteps(record: ExecutionRecord): JsonObject {
  const rest = omit(record, 'steps', 'owner');
  const { result } = record;
  return isObject(result) ? { ...rest, result: omit(result, 'steps', 'template_vars') } : rest;
}

/** @throws GatewayError RESOURCE_NOT_FOUND */
function oneStep(record: ExecutionRecord, id: string): JsonObject {
  const { input, steps } = record;
  const rest = omit(record, 'owner', 'result', 'error', 'input', 'steps');
  const step = steps.find(({ step_id }) => step_id === id) ?? steps.find((one) => isIteration(one, id));
  if (step === undefined)
    throw fault(
      `Failed to get execution: step ${id} not found in execution ${rest.execution_id}`,
      'RESOURCE_NOT_FOUND',
    );
  const hasFailed = step.status === 'failed';
  return {
    ...rest,
    input: hasFailed ? input : {},
    ...(hasFailed && step.error !== undefined && { error: step.error }),
    steps: [step],
  };
}

function isIteration({ step_id, iteration }: StepRecord, id: string): boolean {
  return iteration !== undefined && `${step_id}_${iteration}` === id;
}

function requiredId({ execution_id: id }: JsonObject): string {
  if (typeof id === 'string' && id !== '') return id;
  throw fault('execution_id is required');
}

interface Bounds {
  readonly preset: number;
  readonly min: number;
  readonly max: number;
}
function wholeNumber(args: JsonObject, name: string, { preset, min, max }: Bounds): number {
  const value = args[name] ?? preset;
  if (typeof value !== 'number') throw fault(`${name} must be a number`);
  if (value < min) throw fault(`${name} must be at least ${min} (minimum value)`);
  if (value > max) throw fault(`${name} must be at most ${max} (maximum value)`);
  return Math.trunc(value);
}

/** `inprogress` is accepted as an older name of `running`. */
function statusIn({ status }: JsonObject): unknown {
  if (typeof status !== 'string') return status;
  if (status === 'inprogress') return 'running';
  if (STATUSES.includes(status)) return status;
  throw fault(`status must be one of the enum values: ${STATUSES.join(', ')}`);
}

function fault(text: string, code: 'TOOL_ARGUMENTS' | 'RESOURCE_NOT_FOUND' = 'TOOL_ARGUMENTS'): GatewayError {
  return new GatewayError(code, text);
}
