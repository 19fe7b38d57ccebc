import { one } from 'pegboard';
import type { InboundRequest, NoDetails } from 'pegboard';
import type { Notice } from './notices.ts';

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

/** A run in a list; members as core_workflow_execution_list gives them. Times are RFC 3339. */
export interface RunSummary {
  readonly execution_id: string;
  readonly workflow_name: string;
  /** `running`, `completed`, `failed`, `cancelled` */
  readonly status: string;
  readonly started_at: string;
  readonly completed_at?: string;
  /** Duration of the run; while it is in progress, until now. */
  readonly duration_ms: number;
  readonly step_count: number;
  readonly error?: string;
}
/** A step of a run; of a loop, one for each iteration. */
export interface RunStep {
  readonly step_id: string;
  readonly tool: string;
  /** `running`, `completed`, `failed`, `skipped` */
  readonly status: string;
  readonly started_at: string;
  readonly completed_at?: string;
  readonly duration_ms: number;
  readonly error?: string;
  /** Id of the loop or group that it is part of. */
  readonly parent?: string;
  readonly iteration?: number;
  readonly attempts?: number;
  readonly input?: unknown;
  readonly result?: unknown;
}
export interface RunFacts extends RunSummary {
  /** Whether it has the values (`input`, `result`): they belong to who started the run. */
  readonly hasValues: boolean;
  readonly input?: unknown;
  readonly result?: unknown;
  readonly steps: readonly RunStep[];
  /** It was too large to be kept whole: values, and the first steps, may be missing. */
  readonly truncated?: true;
}
/** A step as its workflow defines it. */
export interface DefinedStep {
  readonly step_id: string;
  readonly kind: 'tool' | 'forEach' | 'parallel';
  /** Those of a loop or a group. */
  readonly steps: readonly DefinedStep[];
}
/** The steps of a workflow, by when they run. */
export type DefinedSteps = Readonly<Record<'steps' | 'onFailure' | 'finally', readonly DefinedStep[]>>;
export interface RunFilter {
  readonly status?: string;
  readonly workflow?: string;
  /** Only those whose values the request may see. */
  readonly readableBy?: InboundRequest;
}
/** The runs of all callers, for operators; provided by the plugin `workflow`. */
export interface WorkflowRuns {
  /** Newest first. @throws GatewayError STORE_UNREACHABLE */
  list(filter: RunFilter): Promise<readonly RunSummary[]>;
  /** @param request may see the values, or not: by the rule of core_workflow_execution_get, or as an operator
   *  @throws GatewayError STORE_UNREACHABLE */
  find(id: string, request: InboundRequest, isOperator: boolean): Promise<RunFacts | undefined>;
  /** As the workflow of that name is defined now; undefined: there is none. */
  definedSteps(workflow: string): DefinedSteps | undefined;
}
export const WorkflowRuns = one<WorkflowRuns>('workflow-runs');

/** A row of the list of runs, as it is stored. */
export interface RunRow extends RunSummary {
  /** Never shown to clients. */
  readonly owner: string;
  /** The process that runs it; only until the run has ended. */
  readonly process?: string;
}
/** A stored run, with secrets masked. */
export interface RunRecord extends Omit<RunRow, 'step_count'> {
  readonly input: unknown;
  readonly result?: unknown;
  readonly steps: readonly RunStep[];
  readonly truncated?: true;
}
/** Where runs are stored; the vault is used if no plugin provides this. All methods throw GatewayError, STORE_UNREACHABLE,
 *  STORE_FORBIDDEN, or CONFIG_UNREADABLE if the keys that seal them cannot be read. */
export interface RunStore {
  /** Whether several processes may use it that do not hear of each other (`Peers`). */
  readonly isShared: boolean;
  /** Rows of all runs, in any order. @param known rows that need not be read again */
  list(known: (id: string) => RunRow | undefined): Promise<readonly RunRow[]>;
  get(id: string): Promise<RunRecord | undefined>;
  /** Creates or replaces it. @param isRowDue false: `list` may show the former row, because the run continues */
  put(record: RunRecord, row: RunRow, isRowDue: boolean): Promise<void>;
  /** Replaces it if it is still `before`, a record that get() has returned. @returns whether it was replaced */
  swap(before: RunRecord, after: RunRecord, row: RunRow): Promise<boolean>;
  delete(id: string): Promise<void>;
}
export const RunStore = one<RunStore>('run-store');

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
