import type { JsonObject } from './json.ts';
import { one } from '../capabilities.ts';

/** The identity behind a request; set by a tap at STAGE.identify. */
export interface Caller {
  /** Stable id of the person or machine, unique within `issuer`. */
  readonly subject: string;
  readonly issuer?: string;
  readonly claims?: JsonObject;
}

/** What a transport knows about a request before any plugin has seen it. */
export interface RequestFacts {
  /** `http`, `sse`, `stdio`, or a name that a third party chose. */
  readonly transport: string;
  /** `public` requests pass admission without a caller (health, metadata documents). */
  readonly access: 'caller' | 'public';
  /** One header by lower-case name; several fields of one name are joined by `, `. Always undefined without HTTP. */
  header(name: string): string | undefined;
  /** Whether the request has several fields of that name; absent without HTTP. */
  isRepeated?(name: string): boolean;
  /** HTTP method and path; absent without HTTP. */
  readonly method?: string;
  readonly path?: string;
  /** The toolset preset named in the path. */
  readonly preset?: string | undefined;
  /** The peer's address, as the socket reports it. */
  readonly remoteAddress?: string;
}

/** Narrows a request: declared by its client (header X-Service-Toolset, path /mcp/t/<preset>) or set by plugins.
 *  Source: requirement service.toolset. */
export interface Toolset {
  readonly selectors: readonly string[];
  /** How the client declared it; absent if a plugin set it. */
  readonly declaredBy?: 'header' | 'path';
  /** Another toolset; only items that both allow are included. */
  readonly within?: Toolset;
  /** Why it cannot be used; every meta-tool call then returns this text. */
  readonly invalid?: string;
  /** What its refusals recommend, if a plugin set it; absent: to ask the operator. */
  readonly remedy?: string;
}

/** One request in the gate: facts plus what the stages add. */
export interface InboundRequest extends RequestFacts {
  /** Short; joins the log lines that belong to one request, as `request`. Unless two processes drew the same four letters, it is unique
   *  among processes too. */
  readonly id: string;
  /** Set once at STAGE.identify. */
  caller: Caller | undefined;
  /** Set at STAGE.narrow, by any number of plugins: each value narrows the former one, and never widens it. */
  toolset: Toolset | undefined;
  /** Id of the session the request belongs to, once opened. */
  sessionId: string | undefined;
  /** The owner of the data that the request stores if the caller has not signed in and the session is not the owner; see
   *  `ownerOf`. Unique among sessions and edges, and never chosen by a client. */
  anonymousOwner?: string | undefined;
  /** The name that `ownerOf` gave the request because it has no caller, owner or session. */
  oneTimeOwner?: string;
}

/** A request without sign-in, session and toolset: for what Pegboard asks on its own behalf. */
export const ANYONE: InboundRequest = {
  id: 'internal',
  transport: 'internal',
  access: 'caller',
  header: () => undefined,
  caller: undefined,
  toolset: undefined,
  sessionId: undefined,
  anonymousOwner: 'internal',
};

/** A response that ends a request early, or the response of a route. A JSON value as body is sent as application/json. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | JsonObject;
}

/** Starts every request; provided by the kernel. */
export interface RequestGate {
  /** Runs onRequest. @returns the request, or the Reply of the tap that ended it @throws what a tap throws, as GatewayError */
  open(facts: RequestFacts): Promise<InboundRequest | Reply>;
}
export const RequestGate = one<RequestGate>('request-gate');

export function isReply(value: InboundRequest | Reply): value is Reply {
  return 'status' in value;
}
