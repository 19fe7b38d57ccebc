import { one } from 'pegboard';
import type { Finding, InboundRequest, Item, NoDetails, Tool, Toolset, Verdict } from 'pegboard';

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
  /** @param toolsetPresets as in config.yaml */
  draft(toolsetPresets: unknown): DraftPresets;
}
/** Presets that are not in force. */
export interface DraftPresets {
  /** Why they cannot be put in force, and as warnings, rules that select nothing. */
  readonly faults: readonly Finding[];
  /** The toolset that a client declares with a header, as these presets understand it. */
  declared(header: string): Toolset;
  /** What the toolset of the request would decide; undefined: it has none. */
  judge(item: Item, request: InboundRequest): Verdict | undefined;
}
export const Toolsets = one<Toolsets>('toolsets');

/** Presets whose meaning cannot change while clients rely on it. */
export const BUILT_IN_PRESETS = ['read-only', 'none', 'full'] as const;
