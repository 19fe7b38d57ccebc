import type { Cancellation } from '../lib/cancellation.ts';
import type { Client } from './client.ts';
import type { JsonObject } from './json.ts';
import type { InboundRequest } from './request.ts';
import type { Tool } from './tool.ts';
import { one } from '../capabilities.ts';

/** A tool's answer in MCP's shape; unknown fields are kept. */
export interface ToolResult {
  readonly content: readonly JsonObject[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly [field: string]: unknown;
}

/** A result as JSON text with a lazy value: whoever only passes it on never parses it (decision D21). */
export interface CallResult {
  /** The complete result object as JSON text. */
  readonly json: string;
  /** The parsed result; parsed once, then kept. */
  value(): ToolResult;
}

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** Where a call stands in the trace of whoever made it. Source: W3C Trace Context, W3C Baggage. */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
  readonly baggage?: string;
}

/** Stands around a tool that its guards have let through: runs it, or answers in its place. */
export type Around = (call: Call, run: () => Promise<CallResult>) => Promise<CallResult>;

/** What a caller of a tool may attach to the call. */
export interface CallOptions {
  /** Ends the call early; a child inherits its parent's. */
  readonly cancel?: Cancellation | undefined;
  /** Hears of the call's progress; a child inherits its parent's. */
  readonly progress?: ((update: Progress) => void) | undefined;
  /** Who may be asked and told something meanwhile; a child inherits its parent's. */
  readonly client?: Client | undefined;
  /** Passed on to servers as it came; a child inherits its parent's. */
  readonly trace?: TraceContext | undefined;
  /** Stands around the tools that a meta-tool calls, and not those below them (decision D56). */
  readonly around?: Around | undefined;
}

/** One running tool call. */
export interface Call {
  /** Unique in this process; stands in logs and events. */
  readonly id: number;
  readonly tool: Tool;
  readonly args: JsonObject;
  readonly request: InboundRequest;
  /** The call that made this one; undefined for what a client issued itself. */
  readonly parent: Call | undefined;
  readonly cancel: Cancellation;
  readonly progress: ((update: Progress) => void) | undefined;
  /** The client that issued it or the call above it; undefined when none did. */
  readonly client: Client | undefined;
  readonly trace: TraceContext | undefined;
  readonly around: Around | undefined;
  /** Calls another tool on behalf of the same request. @throws GatewayError TOOL_NOT_FOUND, or what the tool throws. */
  child(name: string, args: JsonObject, options?: CallOptions): Promise<CallResult>;
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
