import { many, one } from 'pegboard';
import type {
  CallOptions,
  Client,
  ErrorCode,
  InboundRequest,
  JsonObject,
  McpLogLevel,
  NoDetails,
} from 'pegboard';
import type { Session } from './sessions.ts';

declare module 'pegboard' {
  interface ErrorCodes {
    /** no MCP resource of that uri for this caller */
    RESOURCE_NOT_FOUND: { readonly uri?: string };
    /** no MCP prompt of that name for this caller */
    PROMPT_NOT_FOUND: NoDetails;
  }
}

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

/** MCP resources (not definitions): listing entries as their server declared them, with a unique uri. The source itself
 *  checks each with `ToolTable.refusal`: a hidden resource is neither listed nor read, and its updates are not delivered. */
export interface McpResourceSource {
  resources(request: InboundRequest): readonly JsonObject[];
  templates(request: InboundRequest): readonly JsonObject[];
  /** Why a uri that no source has may exist: parts of lists that were not read, each as a clause. Absent if all is known. */
  unreadResources?(request: InboundRequest): readonly string[];
  /** @returns the complete `resources/read` result as JSON text, or undefined if the uri belongs to another source. */
  read(uri: string, request: InboundRequest, options: CallOptions): Promise<string> | undefined;
  /** Calls `updated` after every change of the resource. Absent if the source has no subscriptions.
   *  @param client who subscribes; undefined if it is not known
   *  @returns once subscribed, the function that unsubscribes; undefined if the uri belongs to another source */
  subscribe?(
    uri: string,
    request: InboundRequest,
    updated: () => void,
    client?: Pick<Client, 'capabilities'>,
  ): Promise<() => void> | undefined;
}
export const McpResourceSource = many<McpResourceSource>('mcp-resource-source');

/** MCP prompts, with unique names. The source itself checks each with `ToolTable.refusal`. */
export interface McpPromptSource {
  prompts(request: InboundRequest): readonly JsonObject[];
  /** The same for the name of a prompt. */
  unreadPrompts?(name: string, request: InboundRequest): readonly string[];
  /** @returns the complete `prompts/get` result as JSON text, or undefined if the name belongs to another source. */
  get(
    name: string,
    args: JsonObject,
    request: InboundRequest,
    options: CallOptions,
  ): Promise<string> | undefined;
}
export const McpPromptSource = many<McpPromptSource>('mcp-prompt-source');

/** Completes arguments of prompts and resource templates. */
export interface McpCompletionSource {
  /** @param params of `completion/complete`
   *  @returns its complete result as JSON text, or undefined if the prompt or template belongs to another source */
  complete(params: JsonObject, request: InboundRequest, options: CallOptions): Promise<string> | undefined;
}
export const McpCompletionSource = many<McpCompletionSource>('mcp-completion-source');

/** Log messages that MCP servers send outside a client's request. */
export interface McpLogSource {
  /** @param listener receives the params of `notifications/message` as JSON text, and the server that sent it; returns the
   *  number of clients it notified, which counts towards that server's `maxRelayedPerSecond`
   *  @returns the function that removes the listener */
  follow(listener: (level: McpLogLevel, params: string, server: string) => number): () => void;
  /** Sets the least severe level that any client wants, and sends it to the servers. */
  want(level: McpLogLevel): void;
}
export const McpLogSource = many<McpLogSource>('mcp-log-source');
