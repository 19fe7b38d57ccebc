import { one } from 'pegboard';
import type { InboundRequest, Item, NoDetails, Tool } from 'pegboard';

declare module 'pegboard' {
  interface ErrorCodes {
    /** the request's toolset does not include the tool */
    TOOL_OUTSIDE_TOOLSET: NoDetails;
    /** the request's toolset cannot be used */
    TOOL_TOOLSET_INVALID: NoDetails;
  }
}

export interface ToolsetView {
  includes(item: Item): boolean;
  /** The selectors that match no tool in `tools`. */
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
  /** Whether the request's toolset, whatever the catalogue contains now or later, allows only tools that declare themselves
   *  read-only. */
  onlyReads(request: InboundRequest): boolean;
}
export const Toolsets = one<Toolsets>('toolsets');

/** Presets whose meaning cannot change while clients rely on it. */
export const BUILT_IN_PRESETS = ['read-only', 'none', 'full'] as const;
