import { many } from 'pegboard';
import type { Call, Hide, NoDetails } from 'pegboard';
import type { Notice } from '../core-events/contract.ts';

declare module 'pegboard' {
  interface EventMap {
    'workflow.created': WorkflowNotice;
    'workflow.updated': WorkflowNotice;
    'workflow.deleted': WorkflowNotice;
    'workflow.validationSucceeded': WorkflowNotice;
    'workflow.validationFailed': WorkflowNotice;
    'workflow.executionStarted': WorkflowNotice;
    'workflow.executionCompleted': WorkflowNotice;
    'workflow.executionFailed': WorkflowNotice;
    'workflow.executionCancelled': WorkflowNotice;
    'workflow.executionTracked': WorkflowNotice;
    'workflow.executionStoreFailed': WorkflowNotice;
    'workflow.stepStarted': WorkflowNotice;
    'workflow.stepCompleted': WorkflowNotice;
    'workflow.stepFailed': WorkflowNotice;
    'workflow.stepSkipped': WorkflowNotice;
    'workflow.stepConditionEvaluated': WorkflowNotice;
    'workflow.unavailable': WorkflowNotice;
    'workflow.toolRegistered': WorkflowNotice;
    'workflow.capabilitiesRefreshed': WorkflowNotice;
  }
  interface ErrorCodes {
    /** tools that the workflow needs are not available */
    WORKFLOW_UNAVAILABLE: {
      /** Names of the tools. */
      readonly missing?: readonly string[];
    };
    /** the limit of concurrent workflow runs is reached; try again */
    WORKFLOW_BUSY: NoDetails;
  }
}

/** Hides secrets that belong to calls: values of sensitive arguments, credentials of callers. */
export interface CallSecrets {
  /** Hides those of `call` and its parents; undefined if there are none. */
  hiderFor(call: Call): Hide | undefined;
}
export const CallSecrets = many<CallSecrets>('call-secrets');

/** An event about a workflow, for operators. */
export interface WorkflowNotice extends Notice {
  readonly workflow: string;
  readonly execution_id?: string;
  /** Id of the step. */
  readonly step?: string;
  readonly tool?: string;
  readonly ms?: number;
  /** Id of the trace that the run belongs to. */
  readonly trace?: string | undefined;
}
