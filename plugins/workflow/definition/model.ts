import type { Finding, JsonObject } from 'pegboard';
import type { Path } from '../../kit/definitions/beside.ts';

/** A workflow as the engine runs it: keys in one spelling, times in ms, defaults filled in. */
export interface Workflow {
  readonly name: string;
  readonly description: string;
  readonly args: readonly Argument[];
  readonly steps: readonly Step[];
  readonly onFailure: readonly ToolStep[];
  readonly finally: readonly ToolStep[];
  /** Templates of the result; if undefined, the result is the standard document. */
  readonly output: JsonObject | undefined;
  readonly timeoutMs: number | undefined;
  /** Uses of template functions that run only if the configuration allows them. */
  readonly restricted: readonly RestrictedUse[];
}
export interface RestrictedUse extends Finding {
  readonly functionName: string;
}

export interface Argument {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly default?: unknown;
  readonly description: string;
  /** Its values are masked wherever they are stored, logged or shown. */
  readonly sensitive: boolean;
  readonly enum?: readonly unknown[];
}

interface StepBase {
  readonly id: string;
  readonly path: Path;
  readonly condition: Condition | undefined;
  readonly allowFailure: boolean;
  /** Whether the document shows its result. */
  readonly isVisible: boolean;
  /** Whether the document omits its input as well: `output: false`. */
  readonly hidesInput: boolean;
  /** Name below `.vars` → template, rendered after the step. */
  readonly outputs: JsonObject | undefined;
  readonly timeoutMs: number | undefined;
}
export interface ToolStep extends StepBase {
  readonly kind: 'tool';
  readonly tool: string;
  readonly args: JsonObject;
  readonly retry: Retry | undefined;
}
export interface LoopStep extends StepBase {
  readonly kind: 'forEach';
  readonly items: unknown;
  readonly as: string;
  readonly concurrency: number;
  readonly maxItems: number | undefined;
  readonly steps: readonly ToolStep[];
}
export interface GroupStep extends StepBase {
  readonly kind: 'parallel';
  readonly steps: readonly ToolStep[];
}
export type Step = ToolStep | LoopStep | GroupStep;

export type RetryCause = 'transport' | 'isError' | 'timeout';
export interface Retry {
  /** Number of retries. */
  readonly max: number;
  readonly delayMs: number;
  readonly factor: number;
  readonly maxDelayMs: number;
  readonly on: readonly RetryCause[];
  /** Whether the definition names them. */
  readonly isOnGiven: boolean;
}

export interface Expectation {
  /** If undefined, only the paths are compared. */
  readonly success: boolean | undefined;
  readonly jsonPath: JsonObject;
}
interface Expecting {
  readonly expect: Expectation | undefined;
  readonly expectNot: Expectation | undefined;
}
export type Condition = { readonly path: Path } & (
  | { readonly from: 'template'; readonly template: string }
  | ({ readonly from: 'tool'; readonly tool: string; readonly args: JsonObject } & Expecting)
  | ({ readonly from: 'step'; readonly step: string } & Expecting)
  | { readonly from: 'all' | 'any' | 'not'; readonly of: readonly Condition[] }
);
/** A condition on a result. */
export type ResultCondition = Extract<Condition, { from: 'tool' | 'step' }>;

/** The steps inside a loop or a group. */
export function innerSteps(step: Step): readonly ToolStep[] {
  return step.kind === 'tool' ? [] : step.steps;
}

/** Every step including inner steps, in order of definition. */
export function allSteps({ steps, onFailure, finally: last }: Workflow): readonly Step[] {
  return [...steps, ...onFailure, ...last].flatMap((step) => [step, ...innerSteps(step)]);
}

/** A condition and all conditions inside it. */
export function flatConditions(condition: Condition | undefined): readonly Condition[] {
  if (condition === undefined) return [];
  if (!('of' in condition)) return [condition];
  return [condition, ...condition.of.flatMap(flatConditions)];
}

/** One use of a tool in a definition. */
export interface ToolUse {
  readonly tool: string;
  readonly step: string;
  readonly path: Path;
  readonly args: JsonObject;
  /** The step whose tool it is; undefined if a condition asks it. */
  readonly own: ToolStep | undefined;
}

/** Tools of steps and of conditions, in order of definition; a tool may occur several times. */
export function toolUses(workflow: Workflow): readonly ToolUse[] {
  return allSteps(workflow).flatMap((step) => {
    const asked = flatConditions(step.condition).filter((one) => one.from === 'tool');
    const own = step.kind === 'tool' ? step : undefined;
    return [...asked, ...(own === undefined ? [] : [own])].map((use) => ({
      tool: use.tool,
      step: step.id,
      path: [...use.path, 'tool'],
      args: use.args,
      own: use === own ? own : undefined,
    }));
  });
}

export const TOOL_PREFIX = 'workflow_';
/** Suffixes of the `core_workflow_` tools; a workflow of such a name could be mistaken for the tool. */
export const RESERVED_NAMES: readonly string[] = [
  'list',
  'get',
  'create',
  'update',
  'delete',
  'validate',
  'available',
  'execution_list',
  'execution_get',
  'execution_cancel',
];
