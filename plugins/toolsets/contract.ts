import { one } from 'pegboard';
import type { InboundRequest, Item, NoDetails, Tool } from 'pegboard';

declare module 'pegboard' {
  interface ErrorCodes {
    /** the request's toolset does not hold the tool */
    TOOL_OUTSIDE_TOOLSET: NoDetails;
    /** the request's toolset cannot be used */
    TOOL_TOOLSET_INVALID: NoDetails;
  }
}

export interface ToolsetView {
  includes(item: Item): boolean;
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
  /** Whether the request's toolset alone, whatever the catalogue holds and becomes, lets it call only tools that say they
   *  only read. */
  onlyReads(request: InboundRequest): boolean;
}
export const Toolsets = one<Toolsets>('toolsets');
