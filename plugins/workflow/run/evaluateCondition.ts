import { GatewayError, messageOf } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { callStepTool, isCancelled } from './callStepTool.ts';
import { passes } from './expect.ts';
import type { Matching, Observed } from './expect.ts';
import type { Condition, ResultCondition } from '../definition/model.ts';
import { rootsOf } from './state.ts';
import type { Frame } from './state.ts';
import { faultOf, noteReferences, renderArguments } from './render.ts';
import { renderDeep } from '../definition/templates.ts';
import { truthIn } from '../definition/truthIn.ts';
import { readResult } from './readResult.ts';

export interface ConditionVerdict {
  readonly passed: boolean;
  /** `template`, the tool's name, `from_step:<id>`, or `all`, `any`, `not`. */
  readonly tool: string;
  readonly result: unknown;
}

/** Source: requirement workflow.condition. @throws Error if it cannot be evaluated, GatewayError TOOL_CANCELLED */
export async function evaluateCondition(
  condition: Condition,
  step: string,
  frame: Frame,
): Promise<ConditionVerdict> {
  switch (condition.from) {
    case 'template':
      return byTemplate(condition.template, step, frame);
    case 'tool':
    case 'step': {
      const observed =
        condition.from === 'tool' ? await byTool(condition, step, frame) : byStep(condition.step, frame);
      const tool = condition.from === 'tool' ? condition.tool : `from_step:${condition.step}`;
      const passed = await passes(condition, observed, matchingFor(frame));
      return { passed, tool, result: observed.value };
    }
    default:
      return combined(condition, step, frame);
  }
}

type Combined = Extract<Condition, { from: 'all' | 'any' | 'not' }>;

/** Stops at the first condition that decides the result. */
async function combined({ from, of }: Combined, step: string, frame: Frame): Promise<ConditionVerdict> {
  const results: boolean[] = [];
  const decisive = from !== 'all';
  for (const one of of) {
    const { passed } = await evaluateCondition(one, step, frame);
    results.push(passed);
    if (passed === decisive) break;
  }
  const found = results.includes(decisive);
  const passed = from === 'any' ? found : !found;
  return { passed, tool: from, result: results };
}

/** Only so much of what a condition printed is in a message. */
const MAX_SHOWN = 80;

async function byTemplate(template: string, step: string, frame: Frame): Promise<ConditionVerdict> {
  let result: string;
  try {
    result = await frame.run.templates.text(template, rootsOf(frame));
  } catch (error) {
    throw new Error(
      `failed to evaluate condition template for step ${step}: ${faultOf(error, template, frame)}`,
      {
        cause: error,
      },
    );
  }
  const passed = truthIn(result);
  if (passed !== undefined) return { passed, tool: 'template', result };
  const text = frame.run.secrets.text(result);
  const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
  throw new Error(
    `condition template of step ${step} printed ${JSON.stringify(shown)}, which is neither true nor false; compare, as in {{ eq .input.name "x" }}`,
  );
}

type ToolCondition = Extract<ResultCondition, { from: 'tool' }>;

async function byTool({ tool, args }: ToolCondition, step: string, frame: Frame): Promise<Observed> {
  let resolved: JsonObject;
  try {
    resolved = await renderArguments(args, tool, frame);
  } catch (error) {
    throw new Error(`failed to resolve condition arguments for step ${step}: ${messageOf(error)}`, {
      cause: error,
    });
  }
  try {
    const { isError, value } = readResult(await callStepTool(frame, tool, resolved, undefined));
    return { ok: !isError, value };
  } catch (error) {
    if (isCancelled(error, frame)) throw error;
    return { ok: false, value: { error: messageOf(error), success: false, isError: true } };
  }
}

function byStep(id: string, { scope }: Frame): Observed {
  const status = Object.hasOwn(scope.steps, id) ? scope.steps[id]?.status : undefined;
  if (status === undefined)
    throw new GatewayError(
      'TOOL_ARGUMENTS',
      `condition references non-existent step result: ${id}; name a step that runs earlier`,
    );
  if (status === 'skipped') return { ok: undefined, value: { skipped: true } };
  return { ok: status === 'completed', value: Object.hasOwn(scope.results, id) ? scope.results[id] : null };
}

function matchingFor(frame: Frame): Matching {
  const { templates } = frame.run;
  return {
    expected: (value) =>
      renderDeep(value, (text) => {
        noteReferences(text, frame);
        return templates.argument(text, rootsOf(frame));
      }),
    keyed: (template, result) => templates.typed(template, { ...rootsOf(frame), result }),
  };
}
