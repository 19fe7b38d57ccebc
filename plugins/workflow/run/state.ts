import type { Call, Cancellation, ClientMeta, JsonObject, JsonSchema } from 'pegboard';
import type { Turns } from '../../kit/limits/turns.ts';
import type { RunningSpan, Tracer } from '../../contracts/tracing.ts';
import type { Held } from '../definition/availability.ts';
import type { WorkflowConfig } from '../config.ts';
import type { RunMemory } from './runMemory.ts';
import type { WorkflowEvents } from './workflowEvents.ts';
import type { Step, Workflow } from '../definition/model.ts';
import type { RunSecrets } from './runSecrets.ts';
import type { Templates } from '../definition/templates.ts';

export type RunStatus = 'running' | 'completed' | 'failed' | 'cancelled';
export type StepStatus = 'running' | 'completed' | 'failed' | 'skipped';
type Phase = 'steps' | 'onFailure' | 'finally';

/** Why a run ended early. */
export interface RunFailure {
  readonly message: string;
  readonly step?: string;
  readonly tool?: string;
}

/** One evaluated step; each iteration of a loop has its own entry. */
export interface StepEntry {
  readonly id: string;
  readonly tool: string;
  readonly order: readonly number[];
  readonly startedAt: number;
  readonly isVisible: boolean;
  readonly hidesInput: boolean;
  readonly allowFailure: boolean;
  readonly parent?: string;
  readonly iteration?: number;
  readonly phase: Phase;
  status: StepStatus;
  completedAt?: number;
  attempts: number;
  input?: JsonObject;
  hasResult: boolean;
  result?: unknown;
  /** What the tool's answer holds in place of a result. */
  note?: string | undefined;
  error?: string;
  condition?: { readonly tool: string; readonly passed: boolean; readonly result: unknown };
}

/** One run of a workflow; it shares no state with other runs. */
export interface Run {
  readonly id: string;
  readonly workflow: Workflow;
  /** The position in the file of a path below the definition. */
  readonly locate: Held['locate'];
  readonly input: JsonObject;
  readonly call: Call;
  readonly cancel: Cancellation;
  readonly config: WorkflowConfig;
  readonly templates: Templates;
  readonly turns: Turns;
  readonly events: WorkflowEvents;
  readonly secrets: RunSecrets;
  readonly memory: RunMemory;
  /** Span of the run, undefined without a tracer; steps begin spans below it. */
  readonly span: RunningSpan | undefined;
  readonly tracer: Tracer | undefined;
  readonly startedAt: number;
  readonly isDebug: boolean;
  readonly entries: StepEntry[];
  /** `input.<name>` of every reference that was rendered. */
  readonly variables: Set<string>;
  status: RunStatus;
  completedAt?: number;
  failure?: RunFailure;
  /** The result as a JSON value, once the run has ended. */
  document?: JsonObject;
  /** The input schema of a tool; undefined if it is not known now. */
  readonly schemaOf: (tool: string) => JsonSchema | undefined;
  /** Arguments of `tool` whose values are secret. */
  readonly secretsOf: (tool: string, args: JsonObject) => readonly string[];
  readonly progress: (done: number, message: string) => void;
}

/** Names visible to templates; each iteration of a loop and each step of a group works on a copy. */
export interface TemplateScope {
  readonly results: Record<string, unknown>;
  readonly vars: Record<string, unknown>;
  readonly steps: Record<string, { readonly status: StepStatus }>;
}

export function newScope(): TemplateScope {
  return { results: {}, vars: {}, steps: {} };
}
export function forked({ results, vars, steps }: TemplateScope): TemplateScope {
  return { results: { ...results }, vars: { ...vars }, steps: { ...steps } };
}

/** The position of a step in a run. */
export interface Frame {
  readonly run: Run;
  readonly scope: TemplateScope;
  readonly cancel: Cancellation;
  readonly phase: Phase;
  readonly order: readonly number[];
  readonly parent?: string;
  readonly iteration?: number;
  /** What the calls of a step send to servers. */
  readonly meta: ClientMeta | undefined;
  /** Called when an entry has started its call or ended. */
  readonly changed: () => void;
}

export function rootsOf({ run, scope }: Frame): JsonObject {
  const { workflow, id, input, failure, status } = run;
  return {
    input,
    results: scope.results,
    context: scope.results,
    vars: scope.vars,
    steps: scope.steps,
    workflow: { name: workflow.name, execution_id: id, status },
    ...(failure && {
      error: { step: failure.step ?? '', tool: failure.tool ?? '', message: failure.message },
    }),
  };
}

export function beginEntry(frame: Frame, step: Step): StepEntry {
  const { run, phase, order, parent, iteration } = frame;
  const entry: StepEntry = {
    id: step.id,
    tool: step.kind === 'tool' ? step.tool : '',
    order,
    phase,
    startedAt: Date.now(),
    isVisible: step.isVisible,
    hidesInput: step.hidesInput,
    allowFailure: step.allowFailure || phase !== 'steps',
    status: 'running',
    attempts: 0,
    hasResult: false,
    ...(parent !== undefined && { parent }),
    ...(iteration !== undefined && { iteration }),
  };
  run.entries.push(entry);
  return entry;
}

/** Entries in the order of definition, regardless of the order of execution. */
export function inOrder(entries: readonly StepEntry[]): readonly StepEntry[] {
  return [...entries].sort((a, b) => {
    for (let at = 0; at < Math.max(a.order.length, b.order.length); at += 1) {
      const difference = (a.order[at] ?? -1) - (b.order[at] ?? -1);
      if (difference !== 0) return difference;
    }
    return 0;
  });
}
