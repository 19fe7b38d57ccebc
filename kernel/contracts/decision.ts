import type { ErrorCode, ErrorDetails } from './errorCodes.ts';
import type { InboundRequest } from './request.ts';
import type { Tool } from './call.ts';
import { many, one } from '../capabilities.ts';

/** What servers offer besides tools. */
export interface Offer {
  /** A resource or resource template, a prompt, or the server as a whole, for what clients learn about it. */
  readonly kind: 'resource' | 'prompt' | 'server';
  /** The uri or name that clients use for it. */
  readonly name: string;
  readonly server: string;
  readonly members?: undefined;
}
export type Item = Tool | Offer;

export function isOffer(item: Item): item is Offer {
  return item.kind === 'resource' || item.kind === 'prompt' || item.kind === 'server';
}

/** The decision of one layer on one item for one request. */
export interface Verdict {
  readonly layer: string;
  readonly allow: boolean;
  /** Set on refusals. */
  readonly code?: ErrorCode;
  /** One sentence, lower case, no full stop. */
  readonly reason: string;
  /** The next step that would change a refusal. */
  readonly remedy?: string;
  /** Facts for the error that a refusal is thrown as. */
  readonly details?: ErrorDetails;
  /** The server that a refusal is about, of a name that no tool has. */
  readonly server?: string;
}

/** A layer of the one decision that listing, ranking, describing, calling, reading and watching share (decision D8). */
export interface DecisionLayer {
  readonly layer: string;
  /** Layers are asked in ascending order; the first refusal decides. */
  readonly order: number;
  /** @returns undefined if the layer does not decide. Synchronous and free of side effects: it runs per item and call.
   *  `item` is undefined when the catalogue has no tool of that name; a layer may then explain why. */
  judge(name: string, item: Item | undefined, request: InboundRequest): Verdict | undefined;
  /** What the verdicts on tools of kind `tool` follow from, besides the tool: while it stays the same for a request, so must they, because
   *  what requests of one basis see is kept. Absent or undefined: each tool is judged for each request. */
  basis?(request: InboundRequest): string | undefined;
  /** Whether the request is answered as if there were no such item, because its caller may not learn of it. */
  hides?(item: Item, request: InboundRequest): boolean;
}
export const DecisionLayer = many<DecisionLayer>('decision-layer');

/** The tool table and the decisions on it; provided by the kernel. */
export interface ToolTable {
  /** Changes whenever the set of tools changes; indexes use it as their key. */
  readonly generation: number;
  /** The tool of that exact name as far as the request may learn of it, also if it may not call it. */
  find(name: string, request: InboundRequest): Tool | undefined;
  /** The same without a decision. */
  declared(name: string, request: InboundRequest): Tool | undefined;
  /** The same among the tools that are for all requests: not what a caller finds (decision D173). */
  shared(name: string): Tool | undefined;
  /** Whether a layer hides the item from the request. */
  hides(item: Item, request: InboundRequest): boolean;
  /** All tools except meta-tools that the request may see, in a stable order. */
  visibleTo(request: InboundRequest): readonly Tool[];
  /** The meta-tools, in the order they were added. */
  metaTools(): readonly Tool[];
  /** Undefined if the request may see and use the item, else the refusal. Lists of resources and prompts check each. */
  refusal(name: string, item: Item | undefined, request: InboundRequest): Verdict | undefined;
  /** @throws GatewayError the refusal, if there is one */
  admit(name: string, item: Item | undefined, request: InboundRequest): void;
  /** Every layer's verdict, also after a refusal. */
  explain(name: string, tool: Tool | undefined, request: InboundRequest): readonly Verdict[];
  /** Up to `limit` visible names close to a name that was not found. */
  near(name: string, request: InboundRequest, limit?: number): readonly string[];
}
export const ToolTable = one<ToolTable>('tool-table');

/** Tools whose set may depend on the request. A tool that a plugin adds itself has its name before them. onToolRegister runs once for each
 *  object. */
export interface ToolSource {
  /** Synchronous and quick: it runs per call. @param request undefined: one without anything of its own */
  find(name: string, request: InboundRequest | undefined): Tool | undefined;
  /** Each name once; the same array while nothing has changed. */
  all(request: InboundRequest): readonly Tool[];
  /** @param changed called after every change @returns the function that ends this */
  follow(changed: () => void): () => void;
}
export const ToolSource = one<ToolSource>('tool-source');
