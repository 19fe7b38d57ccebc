import type { Call, CallResult, ClientMeta } from './call.ts';
import type { JsonObject, JsonSchema } from './json.ts';
import type { InboundRequest } from './request.ts';

/** Clients list and call only `meta` tools by name; all others are reached through `call_tool`. */
export type ToolKind = 'meta' | 'core' | 'tool' | 'workflow';

/** MCP tool annotations; unknown hints pass through. */
export interface ToolAnnotations {
  readonly readOnlyHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
  readonly idempotentHint?: boolean | undefined;
  readonly openWorldHint?: boolean | undefined;
  readonly [hint: string]: unknown;
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
