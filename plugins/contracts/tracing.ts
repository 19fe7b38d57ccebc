import { one } from 'pegboard';
import type { Call, ClientMeta, InboundRequest, JsonObject } from 'pegboard';
import type { Hide } from './secrets.ts';

/** Work that becomes a span; the plugin `tracing` chooses its name and attributes. */
export type Work = RequestWork | DispatchWork | RunWork | StepWork | ServerWork;

/** A request of a client. */
export interface RequestWork {
  readonly type: 'request';
  readonly id: string | number;
  readonly method: string;
  readonly params: JsonObject;
  readonly request: InboundRequest;
  /** Revision of MCP, if it is agreed or declared. */
  readonly revision: string | undefined;
}
/** A meta-tool that calls another tool. */
export interface DispatchWork {
  readonly type: 'dispatch';
  readonly tool: string;
}
/** A run of a workflow. */
export interface RunWork {
  readonly type: 'run';
  readonly workflow: string;
  readonly execution: string;
}
/** A step of a run; each iteration of a loop is one. */
export interface StepWork {
  readonly type: 'step';
  readonly workflow: string;
  readonly step: string;
  readonly tool: string;
  readonly iteration: number | undefined;
}
/** A request to a server on behalf of a call. */
export interface ServerWork {
  readonly type: 'server';
  readonly server: string;
  readonly method: string;
  /** The server's own name or uri of what is called, read or got. */
  readonly target: string | undefined;
  /** URL of a remote server. */
  readonly url: string | undefined;
  readonly revision: string | undefined;
  /** Recorded only with `content`. */
  readonly content: Content | undefined;
}
/** Arguments and result of a tool. */
export interface Content {
  readonly call: Call;
  /** JSON text. @returns undefined if there are none */
  readonly args: () => string | undefined;
  /** Hides the secrets of the server's definition. */
  readonly hide: Hide;
}

export interface RunningSpan {
  /** What calls and servers below get instead of the `meta` that the span began with. */
  readonly meta: ClientMeta;
  /** A request to a server is sent under this id of JSON-RPC. */
  readonly sentAs: (id: number) => void;
  /** The last call. */
  end(how: SpanEnd): void;
}
export interface SpanEnd {
  /** The result as JSON text. */
  readonly json?: string;
  /** What was thrown; an error also if it is undefined. */
  readonly error?: unknown;
  /** How a run or a step ended: `completed`, `failed`, `cancelled`, `skipped`. */
  readonly status?: string;
}

/** Records spans. Without it, nothing is traced, and calls keep the trace of their client. */
export interface Tracer {
  /** @param meta of the call that the work belongs to: the span continues its trace */
  begin(work: Work, meta: ClientMeta | undefined): RunningSpan;
}
export const Tracer = one<Tracer>('tracer');
