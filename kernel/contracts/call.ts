import type { Cancellation } from '../lib/cancellation.ts';
import type { Client, Progress } from './client.ts';
import type { JsonObject, JsonSchema } from './json.ts';
import type { InboundRequest } from './request.ts';
import type { ToolAnnotations, ToolKind } from './tool.ts';
import { one } from '../capabilities.ts';

/** A tool's result in MCP's shape; unknown fields are kept. */
export interface ToolResult {
  readonly content: readonly JsonObject[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
  readonly [field: string]: unknown;
}

/** A result as JSON text that is parsed lazily: code that only passes it on never parses it (decision D21). */
export interface CallResult {
  /** The complete result object as JSON text. */
  readonly json: string;
  /** The parsed result; parsed once, then kept. */
  value(): ToolResult;
}

/** What the client's request says to servers in `_meta`: its trace, and keys with a prefix of its own.
 *  Source: MCP 2025-11-25, `_meta`; W3C Trace Context, W3C Baggage. */
export type ClientMeta = Readonly<Partial<Record<'traceparent' | 'tracestate' | 'baggage', string>>> &
  Readonly<Record<`${string}/${string}`, unknown>>;

/** Runs the taps after a wrapping one, and the tool. @throws GatewayError */
export type Next = () => Promise<CallResult>;

/** What a caller of a tool may attach to the call. */
export interface CallOptions {
  /** Ends the call early; a child inherits its parent's. */
  readonly cancel?: Cancellation | undefined;
  /** Receives the call's progress; a child inherits its parent's. */
  readonly progress?: ((update: Progress) => void) | undefined;
  /** The client that servers may ask and notify during the call; a child inherits its parent's. */
  readonly client?: Client | undefined;
  /** Sent to servers unchanged; a child inherits its parent's. */
  readonly meta?: ClientMeta | undefined;
  /** The client's key for what a meta-tool calls, which runs once: 1 to 255 printable ASCII characters (decision D56). */
  readonly idempotencyKey?: string | undefined;
}

/** One running tool call. */
export interface Call {
  /** Unique in this process; used in logs and events. */
  readonly id: number;
  readonly tool: Tool;
  readonly args: JsonObject;
  readonly request: InboundRequest;
  /** The call that made this one; undefined if a client made it. */
  readonly parent: Call | undefined;
  readonly cancel: Cancellation;
  readonly progress: ((update: Progress) => void) | undefined;
  /** The client that made this call or the one above it; undefined if there is none. */
  readonly client: Client | undefined;
  /** A tap that traces sets it: children and servers continue its trace. */
  meta: ClientMeta | undefined;
  readonly idempotencyKey: string | undefined;
  /** Calls another tool on behalf of the same request. @throws GatewayError TOOL_NOT_FOUND, or what the tool throws. */
  child(name: string, args: JsonObject, options?: CallOptions): Promise<CallResult>;
}

/** The tool that a call is for, and its own arguments. */
export interface Target {
  readonly tool: Tool;
  readonly args: JsonObject;
}

/** One entry of the catalogue. Source: requirement entry.fields. */
export interface Tool {
  /** Unique among the tools of a request, case-sensitive. */
  readonly name: string;
  readonly kind: ToolKind;
  /** Full text, any length; the first sentence serves as summary. */
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly annotations?: ToolAnnotations;
  /** In place of `annotations`, if they follow from other tools, as the request finds those: asked at each read, with one request
   *  for all that find the same. Not of a meta-tool. */
  readonly annotationsFor?: (request: InboundRequest) => ToolAnnotations | undefined;
  /** The MCP server it comes from; absent for meta, core and workflow tools. */
  readonly server?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** The tool object as its server declared it (title, outputSchema, icons, unknown fields). */
  readonly declared?: JsonObject;
  /** The tools that this one represents, each with it as `group`. It is visible if one of them is (decision D52). */
  readonly members?: readonly Tool[];
  /** The tool that represents this one and others. A rule that names either applies. */
  readonly group?: Tool;
  /** Selects the one of `members` that a call is for. Layers judge that member and onCall taps see it, so
   *  that no rule is bypassed. @throws GatewayError TOOL_ARGUMENTS */
  resolve?(args: JsonObject): Target;
  /** True while the server is disconnected and this entry is the last one known. */
  isStale?(): boolean;
  /** Runs it. Only kernel/callRunner.ts calls this.
   *  @throws GatewayError; any other throw becomes an error result without its text. */
  invoke(args: JsonObject, call: Call): CallResult | Promise<CallResult>;
  /** A meta-tool's: turns a failed call, refusals of guards included, into a result; undefined leaves it to the front.
   *  @param meta what the client's request says to servers, for its trace */
  failed?(error: unknown, meta: ClientMeta | undefined): CallResult | undefined;
  /** A meta-tool's: members of its `tools/list` entry for that request, added to or replacing the usual ones. */
  listed?(request: InboundRequest): JsonObject;
}

/** Entry of the one call path; provided by the kernel. */
export interface CallPath {
  /** Calls a meta-tool by name for a client.
   *  @throws GatewayError TOOL_NOT_FOUND when no meta-tool has that name. */
  call(name: string, args: JsonObject, request: InboundRequest, options?: CallOptions): Promise<CallResult>;
  /** Runs what a client asks for natively (reads a resource, gets a prompt) past the same taps.
   *  @param tool of kind `meta`, in no catalogue: no decision is made on it */
  run(tool: Tool, args: JsonObject, request: InboundRequest, options?: CallOptions): Promise<CallResult>;
}
export const CallPath = one<CallPath>('call-path');
