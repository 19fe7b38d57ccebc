import { isObject } from 'pegboard';
import type { Invocation, JsonObject } from 'pegboard';
import { ARGUMENTS, argumentsFor } from '../arguments/argumentsFor.ts';
import type { ArgumentSources } from '../arguments/readToolArguments.ts';
import { optionsOf } from '../commonOptions.ts';
import { progressTo } from '../progressTo.ts';
import { Failure } from '../failure.ts';
import { Gateway, textOf } from '../gateway.ts';
import type { Result } from '../gateway.ts';
import { executionTree } from '../output/executionTree.ts';
import { printList, printObject } from '../output/print.ts';
import { printResult } from '../output/printResult.ts';
import { pauseFor } from '../pauseFor.ts';
import { verb } from '../verb.ts';
import { wholeResult } from '../wholeResult.ts';

const POLL_MS = 500;

interface Own extends ArgumentSources {
  readonly async?: boolean;
  readonly plan?: boolean;
  readonly follow?: boolean;
}
interface StepRecord {
  readonly step_id: string;
  /** Number of the iteration; only for a step in a loop. */
  readonly iteration?: number;
}

export const run = verb({
  name: 'run',
  summary: 'run a workflow; its steps appear as they end',
  parameters: [{ name: '<workflow>', description: 'name of the workflow' }, ARGUMENTS.parameter],
  takesAnyFlag: true,
  options: [
    ...ARGUMENTS.options,
    { flags: '--plan', description: 'show what each step would do; nothing is called' },
    { flags: '--async', description: 'start it and print its execution id' },
    { flags: '--follow', description: 'start it and follow it; Ctrl-C leaves it running' },
  ],
  examples: [
    'pegboard run release-notes --since v1.2',
    'pegboard run release-notes --since v1.2 --plan',
    'pegboard run nightly --async -o name',
  ],
  run: (invocation) =>
    Gateway.connected(invocation, async (gateway) => {
      const [name = '', ...words] = invocation.args;
      const own = optionsOf<Own>(invocation);
      const tool = `workflow_${name}`;
      const args = await argumentsFor(gateway, tool, { ...own, words }, invocation);
      if (own.plan === true)
        return printPlan(await gateway.readCore(tool, { ...args, _plan: true }), invocation);
      if (own.async === true || own.follow === true) {
        const started = await gateway.readCore(tool, { ...args, _async: true });
        const id = String(started['execution_id']);
        if (own.follow === true) return follow(gateway, id, invocation);
        progressTo(invocation)(`started; see: pegboard get execution ${id}`);
        if (own.output === 'table' || own.output === 'wide') invocation.terminal.out(`${id}\n`);
        else printObject(invocation, started, id);
        return 0;
      }
      const result = await gateway.call(tool, args, { progress: progressTo(invocation) });
      return printResult(invocation, documented(await wholeResult(gateway, result)));
    }),
});

/** A workflow answers with its document as text; people read it as YAML. */
function documented(result: Result): Result {
  const text = textOf(result);
  return text.startsWith('{') ? { ...result, structuredContent: JSON.parse(text) as JsonObject } : result;
}

function printPlan(plan: JsonObject, invocation: Invocation): number {
  const { output } = optionsOf(invocation);
  const { available, missing_tools: missing } = plan;
  if (output === 'json' || output === 'yaml') printObject(invocation, plan, '');
  else
    printList(
      invocation,
      'steps',
      (['steps', 'onFailure', 'finally'] as const).flatMap((phase) => rows(plan[phase], phase)),
      [
        { title: 'step', value: 'id' },
        { title: 'phase', value: 'phase', isWide: true },
        { title: 'tool', value: 'tool' },
        {
          title: 'runs',
          value: ({ condition = true }) => ({ true: 'yes', false: 'no' })[String(condition)] ?? 'unknown',
        },
        { title: 'arguments', value: 'args' },
      ],
    );
  if (available === false)
    throw new Failure(`it cannot run now, tools are missing: ${(missing as readonly string[]).join(', ')}`);
  return 0;
}

/** Steps and those within them, indented. */
function rows(steps: unknown, phase: string, indent = ''): readonly JsonObject[] {
  if (!Array.isArray(steps)) return [];
  return steps.filter(isObject).flatMap((step) => {
    const { forEach, parallel } = step;
    const inner = isObject(forEach) ? forEach['steps'] : parallel;
    const kind = isObject(forEach) ? '(forEach)' : parallel === undefined ? undefined : '(parallel)';
    const row = { ...step, id: `${indent}${String(step['id'])}`, tool: step['tool'] ?? kind, phase };
    return [row, ...rows(inner, phase, `${indent}· `)];
  });
}

/** Writes steps as they end, then the whole run. @returns the exit code: 1 unless the run completed */
async function follow(gateway: Gateway, id: string, invocation: Invocation): Promise<number> {
  const say = progressTo(invocation);
  say(`execution ${id}`);
  const told = new Set<string>();
  for (;;) {
    const execution = await gateway
      .readCore('core_workflow_execution_get', { execution_id: id })
      .catch((error: unknown) => {
        if (invocation.cancel.reason === undefined) throw error;
        return undefined;
      });
    if (execution === undefined) {
      say(`it continues; see: pegboard get execution ${id}`);
      return 0;
    }
    const { status, steps } = execution;
    for (const step of Array.isArray(steps) ? steps.filter(isObject) : []) {
      const { step_id: name, iteration = '' } = step as unknown as StepRecord;
      const key = `${name} ${iteration}`.trim();
      if (step['status'] === 'running' || told.has(key)) continue;
      told.add(key);
      say(`step ${key} ${String(step['status'])}`);
    }
    if (status !== 'running') {
      if (['table', 'wide'].includes(optionsOf(invocation).output))
        invocation.terminal.out(executionTree(execution));
      else printObject(invocation, execution, id);
      return status === 'completed' ? 0 : 1;
    }
    await pauseFor(POLL_MS, invocation.cancel);
  }
}
