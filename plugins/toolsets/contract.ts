import { one } from 'pegboard';
import type { InboundRequest, Tool } from 'pegboard';

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
