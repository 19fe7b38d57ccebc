import type { ErrorCode } from './errorCodes.ts';
import type { InboundRequest } from './request.ts';
import type { Tool } from './tool.ts';
import { many, one } from '../capabilities.ts';

/** What one layer says of one tool for one request. */
export interface Verdict {
  readonly layer: string;
  readonly allow: boolean;
  /** Set on refusals. */
  readonly code?: ErrorCode;
  /** One sentence, lower case, no full stop. */
  readonly reason: string;
  /** The next step that would change a refusal. */
  readonly remedy?: string;
}

/** A layer of the one decision that listing, ranking, describing and calling share (decision D8). */
export interface DecisionLayer {
  readonly layer: string;
  /** Layers are asked in ascending order; the first refusal decides. */
  readonly order: number;
  /** @returns undefined when the layer has nothing to say. Synchronous and side-effect free: it runs per tool and call.
   *  `tool` is undefined when the catalogue has none of that name; a layer may then explain why. */
  judge(name: string, tool: Tool | undefined, request: InboundRequest): Verdict | undefined;
}
export const DecisionLayer = many<DecisionLayer>('decision-layer');

/** The tool table and the decisions on it; provided by the kernel. */
export interface ToolTable {
  /** Changes whenever the set of tools changes; indexes key on it. */
  readonly generation: number;
  /** Exact name, no decision made. */
  find(name: string): Tool | undefined;
  /** All tools but the meta-tools that the request may see, in a stable order. */
  visibleTo(request: InboundRequest): readonly Tool[];
  /** The meta-tools, in the order they were added. */
  metaTools(): readonly Tool[];
  /** Undefined when the request may see and call it, else the refusal. */
  refusal(name: string, tool: Tool | undefined, request: InboundRequest): Verdict | undefined;
  /** Every layer's verdict, also after a refusal. */
  explain(name: string, request: InboundRequest): readonly Verdict[];
  /** Up to `limit` visible names close to a name that was not found. */
  near(name: string, request: InboundRequest, limit?: number): readonly string[];
}
export const ToolTable = one<ToolTable>('tool-table');
