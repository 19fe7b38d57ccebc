import { one } from 'pegboard';
import type { ClientMeta, ErrorCode, InboundRequest, JsonObject, NoDetails } from 'pegboard';

export { exactForm, exactText, withExactForm } from './shared/exactNumbers.ts';

declare module 'pegboard' {
  interface ErrorCodes {
    /** no MCP resource of that uri for this caller */
    RESOURCE_NOT_FOUND: { readonly uri?: string };
    /** no MCP prompt of that name for this caller */
    PROMPT_NOT_FOUND: NoDetails;
  }
  interface EventMap {
    /** A client has initialized a session. */
    'session.opened': { readonly sessionId: string };
    /** A session has ended: its client has left it, it has expired, or another process has ended it. */
    'session.ended': { readonly sessionId: string };
  }
}

/** A client's session as stored in its sealed handle; the process keeps nothing else about it (decision D10). */
export interface Session {
  /** Random, unique, not secret; only the handle opens the session. */
  readonly id: string;
  readonly handle: string;
  /** Revision agreed at initialize, for example `2025-11-25`. */
  readonly revision: string;
  /** Subject of the caller that opened it; undefined without sign-in. */
  readonly subject: string | undefined;
  /** What the client declared at initialize: `elicitation`, `sampling`, `roots`. */
  readonly capabilities: JsonObject;
  /** ms since the epoch */
  readonly createdAt: number;
}

/** A session that was used at this process, for the operator. */
export interface SeenSession {
  readonly session: Omit<Session, 'handle'>;
  /** As its client calls itself at initialize: any characters. Undefined if that was at another process or before a restart. */
  readonly client: { readonly name: string; readonly version: string } | undefined;
  /** Who uses it and with which toolset, as of its last request; without headers. */
  readonly request: InboundRequest;
  /** ms since the epoch */
  readonly lastSeenAt: number;
  /** Whether its standing stream is at this process. */
  readonly hasStream: boolean;
  /** False if the session lasts as long as its connection, and the transport cannot end that. */
  readonly canEnd: boolean;
  readonly questions: readonly OpenQuestion[];
}
/** A question of a server that the session's client has not answered yet. */
export interface OpenQuestion {
  /** `elicitation/create` */
  readonly method: string;
  /** ms since the epoch */
  readonly since: number;
}
/** The sessions that clients use at this process. Provided by the plugin `front`. */
export interface SessionList {
  /** The one used last first. */
  all(): readonly SeenSession[];
  get(id: string): SeenSession | undefined;
  /** Ends the session as its client can, and its standing stream or its connection. @returns false if it is not listed
   *  @throws GatewayError REQUEST_FORBIDDEN if it lasts as long as a connection that cannot be ended; STORE_FORBIDDEN as `Front.end` */
  end(id: string): Promise<boolean>;
}
export const SessionList = one<SessionList>('session-list');

/** Receives the answers to one body. */
export interface Sink {
  /** Sends a message that precedes the answer: progress, a log line, a question.
   *  @returns false if the client has disconnected and cannot reconnect to receive it */
  before(json: string): boolean;
  /** The last call; made exactly once.
   *  @param json absent if there is nothing to answer (only notifications came) */
  answer(json: string | undefined, outcome: AnswerOutcome): void;
}
export interface AnswerOutcome {
  /** The body was refused as a whole: not JSON, not JSON-RPC, or not allowed here. */
  readonly refused: boolean;
  /** Handle of the session that an initialize opened. */
  readonly opened?: string;
  /** The client cancelled its request, so no answer is due; this is the answer for a transport that must send one.
   *  Source: MCP 2025-11-25, Transports: the POST of a request is answered as JSON or by an event stream. */
  readonly cancelled?: string;
}

/** A standing stream to a client: the GET stream, the older SSE stream, stdout. */
export interface Outlet {
  /** The request that opened it: the stream may carry what this request may see. */
  readonly request: InboundRequest;
  write(json: string): void;
  /** Ends the stream because its session has expired. Absent if the session lasts as long as the stream. */
  end?(): void;
  /** Ends the connection, and so the session, for the operator. Absent if the transport cannot, or the session ends without it. */
  disconnect?(): void;
  /** The client was disconnected and missed messages that can no longer be sent again. */
  readonly hasMissed?: boolean;
}

/** The MCP interface: messages in, messages out; independent of the transport. Provided by the plugin `front`. */
export interface Front {
  /** Revisions a client may name in MCP-Protocol-Version. */
  readonly revisions: readonly string[];
  /** Opens a handle for this request's caller; undefined if it is malformed, another caller's, ended or expired. */
  resume(handle: string, request: InboundRequest): Session | undefined;
  /** Ends the session: cancels its running calls, and its handle no longer opens. Resolves once a restart cannot undo it.
   *  @throws GatewayError STORE_FORBIDDEN if too many ends are stored: the handle then stays valid */
  end(session: Session): Promise<void>;
  /** Cancels the session's calls and drops it; for a session whose handle never left the process. */
  abandon(session: Session): void;
  /** Handles one body: a message, or a batch in revisions that allow batches. Never throws. */
  receive(text: string, request: InboundRequest, session: Session | undefined, sink: Sink): void;
  /** Adds a standing stream for list-changed notifications. @returns the function that removes it */
  attach(session: Session, outlet: Outlet): () => void;
  /** Sends a notification on the session's standing stream, at whichever process it is.
   *  @param params JSON text @returns false if there is certainly no such stream */
  tell(sessionId: string, method: string, params: string): boolean;
  /** Whether this process has the session's standing stream. */
  holds(sessionId: string): boolean;
}
export const Front = one<Front>('front');

/** Receives the answer to one stateless message. */
export interface StatelessSink {
  /** Sends a message that precedes the answer. */
  before(json: string): void;
  /** Opens a stream on which messages are sent until one side ends it; the first message may come late.
   *  @param end called by a stop, which does not wait for the answer */
  stand(end: () => void): void;
  /** The last call. @param json absent if there is nothing to answer @param refused why the request was not run */
  answer(json: string | undefined, refused?: ErrorCode): void;
  /** Calls `left` if the client disconnects before the answer. */
  onLeave(left: () => void): void;
}

/** The MCP interface of revisions without sessions: each message is self-contained. Provided by the plugin `front`. */
export interface StatelessFront {
  /** Revisions a client may name; empty if they are switched off. */
  readonly revisions: readonly string[];
  /** Whether a body declares that it belongs here, whatever its revision. */
  claims(text: string): boolean;
  /** Handles one message. Never throws. */
  receive(text: string, request: InboundRequest, sink: StatelessSink): void;
}
export const StatelessFront = one<StatelessFront>('stateless-front');

/** The id of the trace that a call belongs to, 32 hex digits. Source: W3C Trace Context §3.2.2 */
export function traceIdOf(meta: ClientMeta | undefined): string | undefined {
  return meta?.traceparent?.split('-', 2)[1];
}
