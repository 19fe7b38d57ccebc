import type { Call, CallResult } from './call.ts';
import type { JsonObject, JsonSchema } from './json.ts';
import type { InboundRequest } from './request.ts';

/** `meta` tools are what a client sees and may call by name; all others are reached through `call_tool` only. */
export type ToolKind = 'meta' | 'core' | 'tool' | 'workflow';

/** MCP tool annotations; unknown hints pass through. */
export interface ToolAnnotations {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
  readonly [hint: string]: unknown;
}

/** The tool that a call is for, and its own arguments. */
export interface Target {
  readonly tool: Tool;
  readonly args: JsonObject;
}

/** One entry of the catalogue. Source: requirement entry.fields. */
export interface Tool {
  /** Unique in the catalogue, case-sensitive. */
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
  /** Of a tool that stands for several: these, each with it as `group`. It is visible while one of them is (decision D52). */
  readonly members?: readonly Tool[];
  /** The tool that stands for this one and others. A rule that names either holds. */
  readonly group?: Tool;
  /** Of a tool with `members`: which one a call is for. Layers judge that one and taps of onCall see it, so that no rule is
   *  passed by. @throws GatewayError TOOL_ARGUMENTS */
  resolve?(args: JsonObject): Target;
  /** True while the entry is the last known one of a server that is away. */
  isStale?(): boolean;
  /** Runs it. Only kernel/callRunner.ts calls this.
   *  @throws GatewayError; any other throw becomes an error result without its text. */
  invoke(args: JsonObject, call: Call): CallResult | Promise<CallResult>;
  /** Of a meta-tool: the answer to a call of it that failed, guards' refusals included; undefined leaves it to the front. */
  failed?(error: unknown): CallResult | undefined;
  /** Of a meta-tool: members of its entry in `tools/list` for that request, beside the usual ones or in their place. */
  listed?(request: InboundRequest): JsonObject;
}
