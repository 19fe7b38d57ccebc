import type { Call, KernelEvent } from 'pegboard';
import { callerKey } from '../../kit/authority/ownerOf.ts';
import { traceIdOf } from '../../kit/calls/traceIdOf.ts';
import type { WorkflowNotice } from '../../contracts/runs.ts';
import type { WorkflowConfig } from '../config.ts';
import type { RunMetrics } from './runMetrics.ts';

/** Event reasons, each with its event type. Source: requirement core.events.catalogue. */
const TYPES = {
  WorkflowCreated: 'workflow.created',
  WorkflowUpdated: 'workflow.updated',
  WorkflowDeleted: 'workflow.deleted',
  WorkflowValidationSucceeded: 'workflow.validationSucceeded',
  WorkflowValidationFailed: 'workflow.validationFailed',
  WorkflowExecutionStarted: 'workflow.executionStarted',
  WorkflowExecutionCompleted: 'workflow.executionCompleted',
  WorkflowExecutionFailed: 'workflow.executionFailed',
  WorkflowExecutionCancelled: 'workflow.executionCancelled',
  WorkflowExecutionTracked: 'workflow.executionTracked',
  WorkflowExecutionStoreFailed: 'workflow.executionStoreFailed',
  WorkflowStepStarted: 'workflow.stepStarted',
  WorkflowStepCompleted: 'workflow.stepCompleted',
  WorkflowStepFailed: 'workflow.stepFailed',
  WorkflowStepSkipped: 'workflow.stepSkipped',
  WorkflowStepConditionEvaluated: 'workflow.stepConditionEvaluated',
  WorkflowUnavailable: 'workflow.unavailable',
  WorkflowToolRegistered: 'workflow.toolRegistered',
  WorkflowCapabilitiesRefreshed: 'workflow.capabilitiesRefreshed',
} as const;
export type WorkflowReason = keyof typeof TYPES;

const WARNINGS: readonly WorkflowReason[] = [
  'WorkflowValidationFailed',
  'WorkflowExecutionFailed',
  'WorkflowExecutionCancelled',
  'WorkflowExecutionStoreFailed',
  'WorkflowStepFailed',
  'WorkflowUnavailable',
];

export type EventFacts = Pick<WorkflowNotice, 'execution_id' | 'step' | 'tool' | 'ms' | 'owner' | 'trace'>;

interface RunFacts {
  readonly id: string;
  readonly workflow: { readonly name: string };
  readonly call: Pick<Call, 'request' | 'meta'>;
  readonly config: Pick<WorkflowConfig, 'executionVisibility'>;
}

export class WorkflowEvents {
  readonly #emit: (event: KernelEvent) => void;
  readonly #metrics: Pick<RunMetrics, 'count'>;

  constructor(emit: (event: KernelEvent) => void, metrics: Pick<RunMetrics, 'count'>) {
    this.#emit = emit;
    this.#metrics = metrics;
  }

  /** @param rest the message after `Workflow <name> `; must not contain secrets */
  tell(reason: WorkflowReason, workflow: string, rest: string, facts: EventFacts = {}): void {
    this.#metrics.count(reason, workflow, facts.ms);
    this.#emit({
      type: TYPES[reason],
      reason,
      workflow,
      message: reason === 'WorkflowCapabilitiesRefreshed' ? rest : `Workflow ${workflow} ${rest}`,
      severity: WARNINGS.includes(reason) ? 'Warning' : 'Normal',
      ...facts,
    });
  }

  /** An event of a run, for those who may read the run. */
  tellOf(
    { id, workflow, call, config }: RunFacts,
    reason: WorkflowReason,
    rest: string,
    facts: EventFacts = {},
  ): void {
    const owner = config.executionVisibility === 'all' ? undefined : callerKey(call.request.caller);
    const trace = traceIdOf(call.meta);
    this.tell(reason, workflow.name, rest, { execution_id: id, ...facts, owner, trace });
  }
}
