import { many } from 'pegboard';
import type { CallOptions, InboundRequest, JsonObject, McpLogLevel } from 'pegboard';

/** MCP resources (not definitions): listing entries as their server declared them, with a unique uri. */
export interface McpResourceSource {
  resources(request: InboundRequest): readonly JsonObject[];
  templates(request: InboundRequest): readonly JsonObject[];
  /** @returns the complete `resources/read` result as JSON text, or undefined when the uri is not this source's. */
  read(uri: string, request: InboundRequest, options: CallOptions): Promise<string> | undefined;
  /** Calls `updated` with every change of the resource. Absent: nothing can be subscribed to.
   *  @returns once subscribed, the function that ends it; undefined when the uri is not this source's */
  subscribe?(uri: string, request: InboundRequest, updated: () => void): Promise<() => void> | undefined;
}
export const McpResourceSource = many<McpResourceSource>('mcp-resource-source');

/** MCP prompts, with unique names. */
export interface McpPromptSource {
  prompts(request: InboundRequest): readonly JsonObject[];
  /** @returns the complete `prompts/get` result as JSON text, or undefined when the name is not this source's. */
  get(
    name: string,
    args: JsonObject,
    request: InboundRequest,
    options: CallOptions,
  ): Promise<string> | undefined;
}
export const McpPromptSource = many<McpPromptSource>('mcp-prompt-source');

/** Suggestions for arguments of prompts and resource templates. */
export interface McpCompletionSource {
  /** @param params of `completion/complete`
   *  @returns its complete result as JSON text, or undefined when the prompt or template is not this source's */
  complete(params: JsonObject, request: InboundRequest, options: CallOptions): Promise<string> | undefined;
}
export const McpCompletionSource = many<McpCompletionSource>('mcp-completion-source');

/** RFC 5424, least severe first. */
export const LOG_LEVELS = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const satisfies readonly McpLogLevel[];

/** What MCP servers log outside a client's request. */
export interface McpLogSource {
  /** @param listener gets the params of `notifications/message` as JSON text, and the server that says it
   *  @returns the function that stops it */
  follow(listener: (level: McpLogLevel, params: string, server: string) => void): () => void;
  /** The least severe level that any client wants; servers are told. */
  want(level: McpLogLevel): void;
}
export const McpLogSource = many<McpLogSource>('mcp-log-source');
