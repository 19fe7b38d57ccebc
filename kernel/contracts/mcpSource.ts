import type { CallOptions } from './call.ts';
import type { JsonObject } from './json.ts';
import type { InboundRequest } from './request.ts';
import { many } from '../capabilities.ts';

/** MCP resources (not definitions): listing entries as their server declared them, with a unique uri. */
export interface McpResourceSource {
  resources(request: InboundRequest): readonly JsonObject[];
  templates(request: InboundRequest): readonly JsonObject[];
  /** @returns the complete `resources/read` result as JSON text, or undefined when the uri is not this source's. */
  read(uri: string, request: InboundRequest, options: CallOptions): Promise<string> | undefined;
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
