import { one } from 'pegboard';
import type { ErrorCode, InboundRequest, JsonObject, NoDetails } from 'pegboard';

declare module 'pegboard' {
  interface ErrorCodes {
    /** no MCP resource of that uri for this caller */
    RESOURCE_NOT_FOUND: { readonly uri?: string };
    /** no MCP prompt of that name for this caller */
    PROMPT_NOT_FOUND: NoDetails;
  }
}

/** A client's session as its sealed handle holds it; the process keeps nothing else of it (decision D10). */
export interface Session {
  /** Random, unique, not secret; the handle is what opens it. */
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

/** Where one body's answers go. */
export interface Sink {
  /** A message that precedes the answer: progress, a log line, a question.
   *  @returns false when its client is gone and cannot come back for it */
  before(json: string): boolean;
  /** The last thing that happens; called exactly once.
   *  @param json absent when nothing is owed (only notifications came) */
  answer(json: string | undefined, outcome: AnswerOutcome): void;
}
export interface AnswerOutcome {
  /** The body was refused as a whole: not JSON, not JSON-RPC, or not allowed here. */
  readonly refused: boolean;
  /** Handle of the session that an initialize opened. */
  readonly opened?: string;
  /** Nothing is owed, since the client has cancelled what it asked; the answer for a transport that gives one all the same.
   *  Source: MCP 2025-11-25, Transports: the POST of a request is answered as JSON or by an event stream. */
  readonly cancelled?: string;
}

/** A standing stream to a client: the GET stream, the older SSE stream, stdout. */
export interface Outlet {
  /** The request that opened it: what it may see, the stream may hear of. */
  readonly request: InboundRequest;
  write(json: string): void;
  /** Ends it: its session has expired. Absent where the session lasts as long as the stream. */
  end?(): void;
  /** Its client was away and has missed what nobody can tell it any more. */
  readonly hasMissed?: boolean;
}

/** The MCP face: messages in, messages out; knows no transport. Provided by the plugin `front`. */
export interface Front {
  /** Revisions a client may name in MCP-Protocol-Version. */
  readonly revisions: readonly string[];
  /** Opens a handle for this request's caller; undefined when it is garbage, foreign, ended or expired. */
  resume(handle: string, request: InboundRequest): Session | undefined;
  /** Ends the session: running calls are cancelled, its handle opens no more. Resolves when that outlives a restart.
   *  @throws GatewayError STORE_FORBIDDEN when too many ends are remembered: its handle goes on */
  end(session: Session): Promise<void>;
  /** Cancels what the session runs and forgets it; for a session whose handle never left the process. */
  abandon(session: Session): void;
  /** Handles one body (a message, or a batch where the revision has them). Never throws. */
  receive(text: string, request: InboundRequest, session: Session | undefined, sink: Sink): void;
  /** Adds a standing stream for list-changed notifications. @returns the function that takes it away */
  attach(session: Session, outlet: Outlet): () => void;
}
export const Front = one<Front>('front');

/** Where the answer to one stateless message goes. */
export interface StatelessSink {
  /** A message that precedes the answer. */
  before(json: string): void;
  /** Messages come until one side ends it, the first perhaps late.
   *  @param end called by a stop, which does not wait for the answer */
  stand(end: () => void): void;
  /** The last thing that happens. @param json absent when nothing is owed @param refused why the request was not run */
  answer(json: string | undefined, refused?: ErrorCode): void;
  /** Calls `left` when the client leaves before the answer. */
  onLeave(left: () => void): void;
}

/** The MCP face of revisions without sessions: each message says all there is to know. Provided by the plugin `front`. */
export interface StatelessFront {
  /** Revisions a client may name; none when they are switched off. */
  readonly revisions: readonly string[];
  /** Whether a body says of itself that it belongs here, of whatever revision. */
  claims(text: string): boolean;
  /** Handles one message. Never throws. */
  receive(text: string, request: InboundRequest, sink: StatelessSink): void;
}
export const StatelessFront = one<StatelessFront>('stateless-front');
