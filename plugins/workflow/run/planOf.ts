import { ToolTable } from 'pegboard';
import type { JsonObject, Scope } from 'pegboard';
import { evaluateCondition } from './evaluateCondition.ts';
import type { MissingTool } from '../definition/availability.ts';
import { flatConditions, innerSteps } from '../definition/model.ts';
import type { Step } from '../definition/model.ts';
import { newScope, rootsOf } from './state.ts';
import type { Frame, Run } from './state.ts';
import { renderDeep, templateFault } from '../definition/templates.ts';

/** What a run would do, as far as it can be determined without calling tools. */
export async function planOf(
  run: Run,
  missing: readonly MissingTool[],
  scope: Scope<unknown>,
): Promise<JsonObject> {
  const { workflow, input, secrets } = run;
  const frame: Frame = {
    run,
    scope: newScope(),
    cancel: run.cancel,
    phase: 'steps',
    order: [],
    meta: run.call.meta,
    changed: () => undefined,
  };
  const planned = async (steps: readonly Step[]): Promise<JsonObject[]> => {
    const rows: JsonObject[] = [];
    for (const step of steps) rows.push(await planStep(step, frame, scope.get(ToolTable)));
    return rows;
  };
  return {
    workflow: workflow.name,
    plan: true,
    input: secrets.mask(input),
    steps: secrets.mask(await planned(workflow.steps)),
    ...(workflow.onFailure.length > 0 && { onFailure: secrets.mask(await planned(workflow.onFailure)) }),
    ...(workflow.finally.length > 0 && { finally: secrets.mask(await planned(workflow.finally)) }),
    available: missing.length === 0,
    missing_tools: missing.map(({ tool }) => tool),
  };
}

async function planStep(step: Step, frame: Frame, table: ToolTable): Promise<JsonObject> {
  const tool = step.kind === 'tool' ? table.declared(step.tool, frame.run.call.request) : undefined;
  const inner: JsonObject[] = [];
  for (const one of innerSteps(step)) inner.push(await planStep(one, frame, table));
  const unresolved: JsonObject[] = [];
  const rendered = (value: unknown): Promise<unknown> =>
    renderDeep(value, (text) => resolved(text, frame, unresolved));
  const runs = await willRun(step, frame);
  return {
    id: step.id,
    ...(step.kind === 'tool' && {
      tool: step.tool,
      ...(tool?.annotations && { annotations: tool.annotations }),
      args: await rendered(step.args),
    }),
    ...(step.kind === 'forEach' && {
      forEach: { items: await rendered(step.items), as: step.as, steps: inner },
    }),
    ...(step.kind === 'parallel' && { parallel: inner }),
    ...(runs !== undefined && { condition: runs }),
    ...(unresolved.length > 0 && { unresolved }),
  };
}

/** Renders a template; one that needs a result is kept and listed in `unresolved` with the reason. */
async function resolved(text: string, frame: Frame, unresolved: JsonObject[]): Promise<unknown> {
  try {
    return await frame.run.templates.argument(text, rootsOf(frame));
  } catch (error) {
    unresolved.push({ template: text, reason: templateFault(error) });
    return text;
  }
}

async function willRun(step: Step, frame: Frame): Promise<boolean | 'unknown' | undefined> {
  if (step.condition === undefined) return undefined;
  if (flatConditions(step.condition).some(({ from }) => from === 'tool' || from === 'step')) return 'unknown';
  try {
    return (await evaluateCondition(step.condition, step.id, frame)).passed;
  } catch {
    return 'unknown';
  }
}
