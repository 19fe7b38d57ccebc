import type { InboundRequest } from './request.ts';
import type { Tool } from './tool.ts';
import { one } from '../capabilities.ts';

/** The toolset a request declared (header X-Service-Toolset, path /mcp/t/<preset>). Source: interface.md, Toolset rules. */
export interface Toolset {
  readonly selectors: readonly string[];
  /** Selectors of the path when the header has others: only what both select is in. */
  readonly within?: readonly string[];
  /** Why it cannot be used; every meta-tool call then answers with this text. */
  readonly invalid?: string;
}

export interface ToolsetView {
  includes(tool: Tool): boolean;
  /** Selectors that selected none of `tools`. */
  unmatched(tools: readonly Tool[]): readonly string[];
}

export interface ToolsetPreset {
  readonly name: string;
  readonly description: string;
  readonly built_in: boolean;
}

/** Resolves selectors against the live catalogue. */
export interface Toolsets {
  /** @throws GatewayError TOOL_TOOLSET_INVALID */
  resolve(selectors: readonly string[], request: InboundRequest): ToolsetView;
  presets(): readonly ToolsetPreset[];
}
export const Toolsets = one<Toolsets>('toolsets');
