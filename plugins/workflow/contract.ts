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
    /** a workflow needs tools that are not there */
    WORKFLOW_UNAVAILABLE: {
      /** Names of the tools. */
      readonly missing?: readonly string[];
    };
    /** as many workflows run as may run at once; try again */
    WORKFLOW_BUSY: NoDetails;
  }
}

/** Knows what calls were given in confidence: values of sensitive arguments. */
export interface CallSecrets {
  /** Hides what the calls above this one were given; undefined when that was nothing. */
  hiderFor(call: Call): Hide | undefined;
}
export const CallSecrets = many<CallSecrets>('call-secrets');

/** What operators are told of a workflow. */
export interface WorkflowNotice extends Notice {
  readonly workflow: string;
  readonly execution_id?: string;
  /** Id of the step. */
  readonly step?: string;
  readonly tool?: string;
  readonly ms?: number;
}
