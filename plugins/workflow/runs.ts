import { randomUUID } from 'node:crypto';
import { Cancellation, GatewayError, ToolTable, jsonResult, jsonText, messageOf, textResult } from 'pegboard';
import type { Call, CallResult, JsonObject, Scope } from 'pegboard';
import type { Hide } from 'pegboard/contracts';
import { helpedBy } from '../kit/faults/remedy.ts';
import { sharerOf } from '../kit/authority/ownerOf.ts';
import type { Turns } from '../kit/limits/turns.ts';
import { traceIdOf } from '../kit/calls/traceIdOf.ts';
import { MemoryBudget } from '../contracts/memory.ts';
import { Tracer } from '../contracts/tracing.ts';
import type { CallSecrets } from '../contracts/secrets.ts';
import { missingTools, nestedIn } from './definition/availability.ts';
import type { FindWorkflow, Held } from './definition/availability.ts';
import type { WorkflowConfig } from './config.ts';
import { failedDocument, failureText } from './run/document.ts';
import { runWorkflow } from './run/runWorkflow.ts';
import type { WorkflowEvents } from './run/workflowEvents.ts';
import type { Executions } from './records/executions.ts';
import { effectiveInput, sensitiveTexts, steeringOf } from './definition/inputs.ts';
import { textOf } from './definition/integers.ts';
import { TOOL_PREFIX } from './definition/model.ts';
import { planOf } from './run/planOf.ts';
import { RunMemory } from './run/runMemory.ts';
import { Saver } from './records/saver.ts';
import { RunSecrets } from './run/runSecrets.ts';
import type { Run } from './run/state.ts';
import type { Templates } from './definition/templates.ts';

const TOO_DEEP = '[omitted: nested too deeply for JSON]';

export interface RunsParts {
  readonly scope: Scope<WorkflowConfig>;
  readonly config: () => WorkflowConfig;
  readonly templates: Templates;
  readonly turns: Turns;
  readonly events: WorkflowEvents;
  readonly executions: Executions;
  readonly find: FindWorkflow;
}
interface LiveRun {
  readonly run: Run;
  readonly ended: Promise<void>;
}

/** Starts runs and tracks the live ones. */
export class Runs implements CallSecrets {
  readonly #parts: RunsParts;
  readonly #live = new Map<string, LiveRun>();
  /** Secrets of each run by the call that started it; kept after its end, because tools may answer later. */
  readonly #secretsByCall = new WeakMap<Call, RunSecrets>();
  #isStopping = false;

  constructor(parts: RunsParts) {
    this.#parts = parts;
  }

  /** Runs or plans a workflow for a call of `workflow_<name>`.
   *  @throws GatewayError WORKFLOW_UNAVAILABLE naming the missing tools, TOOL_ARGUMENTS for recursion */
  async invoke(held: Held, args: JsonObject, call: Call): Promise<CallResult> {
    const { name } = held.workflow;
    const { scope, find, config } = this.#parts;
    refuseRecursion(name, call, config().maxDepth);
    const { isAsync, isPlan, isDebug } = steeringOf(args);
    const missing = missingTools({ scope, find, request: call.request })(held);
    if (isPlan) {
      const { input } = effectiveInput(held.workflow, args);
      return jsonResult(await planOf(this.#newRun(held, { input, call, isDebug, isAsync }), missing, scope));
    }
    if (missing.length > 0) {
      const names = missing.map(({ tool }) => tool).join(', ');
      this.#parts.events.tell('WorkflowUnavailable', name, `is unavailable (missing tools: ${names})`);
      const signIns = missing
        .filter(({ code }) => code === 'UPSTREAM_AUTH_REQUIRED')
        .map(({ reason }) => reason);
      const why = [...new Set(signIns)].map((one) => `; ${one}`).join('');
      const text = `workflow ${name} is not available (missing required tools): ${names}${why}`;
      throw helpedBy({ do: 'explain', kind: 'workflow', name }, 'WORKFLOW_UNAVAILABLE', text, {
        missing: missing.map(({ tool }) => tool),
      });
    }
    if (this.#isStopping && call.parent?.tool.kind !== 'workflow')
      throw new GatewayError(
        'PLUGIN_STOPPED',
        `workflow ${name} cannot start: pegboard is stopping; try again`,
      );
    if (this.#live.size >= config().maxRuns)
      throw new GatewayError(
        'WORKFLOW_BUSY',
        `${this.#live.size} workflows are running already; try again later`,
      );
    const { input, fault } = effectiveInput(held.workflow, args);
    const run = this.#newRun(held, { input, call, isDebug, isAsync }, scope.find(Tracer));
    const unlink = isAsync ? undefined : call.cancel.onCancel((reason) => run.cancel.cancel(reason));
    const ended = this.#run(run, fault).finally(() => {
      this.#live.delete(run.id);
      run.memory.end();
      unlink?.();
    });
    this.#live.set(run.id, { run, ended });
    if (!isAsync) {
      await ended;
      return answerOf(run);
    }
    ended.catch((error: unknown) =>
      scope.log.error('run failed with an internal error', {
        execution: run.id,
        trace: traceIdOf(call.meta),
        reason: messageOf(error),
      }),
    );
    return jsonResult({ execution_id: run.id, workflow: name, status: run.status });
  }

  hiderFor(call: Pick<Call, 'parent'>): Hide | undefined {
    const given: RunSecrets[] = [];
    for (let above = call.parent; above !== undefined; above = above.parent) {
      const secrets = this.#secretsByCall.get(above);
      if (secrets !== undefined && !secrets.isEmpty) given.push(secrets);
    }
    if (given.length === 0) return undefined;
    return (text) => given.reduce((rest, secrets) => secrets.text(rest), text);
  }

  /** Name of the workflow of each live run. */
  running(): readonly string[] {
    return [...this.#live.values()].map(({ run }) => run.workflow.name);
  }

  /** Cancels all runs and waits until they are recorded; from now on only clean-up may start a workflow. */
  async stop(reason: string): Promise<void> {
    this.#isStopping = true;
    const live = [...this.#live.values()];
    for (const { run } of live) run.cancel.cancel(reason);
    await Promise.allSettled(live.map(({ ended }) => ended));
  }

  /** Cancels one run and waits until it is recorded. @returns whether it was running */
  async cancel(id: string, reason: string): Promise<boolean> {
    const live = this.#live.get(id);
    if (live === undefined) return false;
    live.run.cancel.cancel(reason);
    await live.ended;
    return true;
  }

  async #run(run: Run, fault: string | undefined): Promise<void> {
    const { events } = this.#parts;
    const saver = new Saver(run, this.#parts.executions, this.#parts.scope.log);
    events.tellOf(run, 'WorkflowExecutionStarted', 'execution started');
    await saver.begin();
    if (fault === undefined) await runWorkflow(run, () => saver.touch());
    else {
      run.status = 'failed';
      run.failure = { message: fault };
      run.completedAt = Date.now();
      run.document = failedDocument(run);
    }
    const isKept = await saver.end();
    const ms = (run.completedAt ?? Date.now()) - run.startedAt;
    run.span?.end({ status: run.status });
    if (isKept)
      events.tellOf(run, 'WorkflowExecutionTracked', `execution state persisted (execution: ${run.id})`);
    const error = run.secrets.text(failureText(run) ?? '');
    if (run.status === 'completed')
      events.tellOf(
        run,
        'WorkflowExecutionCompleted',
        `execution completed successfully (${run.entries.length} steps) in ${ms}ms`,
        { ms },
      );
    else if (run.status === 'cancelled')
      events.tellOf(run, 'WorkflowExecutionCancelled', `execution cancelled: ${error}`, { ms });
    else events.tellOf(run, 'WorkflowExecutionFailed', `execution failed: ${error}`, { ms });
  }

  #newRun(held: Held, { input, call, isDebug, isAsync }: NewRun, tracer?: Tracer): Run {
    const { config, templates, turns, events, find } = this.#parts;
    const id = randomUUID();
    const { workflow, locate } = held;
    const secrets = new RunSecrets();
    secrets.add(sensitiveTexts(workflow, input));
    this.#secretsByCall.set(call, secrets);
    const total = workflow.steps.length;
    const report = isAsync ? undefined : call.progress;
    return {
      id,
      workflow,
      locate,
      input,
      call,
      cancel: new Cancellation(),
      config: config(),
      templates,
      turns,
      events,
      secrets,
      memory: new RunMemory(this.#parts.scope.find(MemoryBudget)?.open('run', sharerOf(call.request))),
      tracer,
      span: tracer?.begin({ type: 'run', workflow: workflow.name, execution: id }, call.meta),
      startedAt: Date.now(),
      isDebug,
      entries: [],
      variables: new Set(),
      status: 'running',
      schemaOf: (tool) => this.#parts.scope.get(ToolTable).declared(tool, call.request)?.inputSchema,
      secretsOf: (tool, args) => {
        const inner = nestedIn(tool, find);
        return inner === undefined ? [] : sensitiveTexts(inner.workflow, args);
      },
      progress: (done, message) => report?.({ progress: done, total, message }),
    };
  }
}

interface NewRun {
  readonly input: JsonObject;
  readonly call: Call;
  readonly isDebug: boolean;
  readonly isAsync: boolean;
}

/** @throws GatewayError TOOL_ARGUMENTS */
function refuseRecursion(name: string, call: Call, maxDepth: number): void {
  const chain = [name];
  for (let above = call.parent; above !== undefined; above = above.parent) {
    if (above.tool.kind !== 'workflow') continue;
    chain.unshift(above.tool.name.slice(TOOL_PREFIX.length));
    if (chain[0] === name)
      throw new GatewayError(
        'TOOL_ARGUMENTS',
        `workflow recursion detected: ${chain.join(' -> ')}; let one of them call something else`,
      );
  }
  if (chain.length > maxDepth)
    throw new GatewayError(
      'TOOL_ARGUMENTS',
      `workflows call one another more than ${maxDepth} deep: ${chain.join(' -> ')}`,
    );
}

/** The document as a result with one text item. */
function answerOf(run: Run): CallResult {
  const { document = {} } = run;
  const text = textOf(document) ?? JSON.stringify(shallow(document));
  return textResult(text, run.status !== 'completed');
}

/** Replaces only the values that are nested too deeply for JSON. */
function shallow(document: JsonObject): JsonObject {
  const { steps } = document;
  const shown: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(document)) {
    shown[key] = jsonText(value) === undefined ? TOO_DEEP : value;
  }
  if (Array.isArray(steps)) shown['steps'] = steps.map((step) => shallow(step as JsonObject));
  return shown;
}
