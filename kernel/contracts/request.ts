import type { JsonObject } from './json.ts';
import { one } from '../capabilities.ts';

/** Who makes the request; set by a tap at STAGE.identify. */
export interface Caller {
  /** Stable id of the person or machine, unique within `issuer`. */
  readonly subject: string;
  readonly issuer?: string;
  readonly claims?: JsonObject;
}

/** What a transport knows of a request before any plugin has looked at it. */
export interface RequestFacts {
  /** `http`, `sse`, `stdio`, or a third party's word. */
  readonly transport: string;
  /** `public` requests pass admission without a caller (health, metadata documents). */
  readonly access: 'caller' | 'public';
  /** One header by lower-case name; several fields of one name are joined by `, `. Always undefined without HTTP. */
  header(name: string): string | undefined;
  /** Whether several fields of that name came; absent without HTTP. */
  isRepeated?(name: string): boolean;
  /** HTTP method and path; absent without HTTP. */
  readonly method?: string;
  readonly path?: string;
  /** The toolset preset that the path names. */
  readonly preset?: string | undefined;
  /** The peer's address as the socket has it. */
  readonly remoteAddress?: string;
}

/** What narrows a request: what its client declared (header X-Service-Toolset, path /mcp/t/<preset>), and what plugins set.
 *  Source: requirement service.toolset. */
export interface Toolset {
  readonly selectors: readonly string[];
  /** How the client declared it; absent for what a plugin set. */
  readonly declaredBy?: 'header' | 'path';
  /** Only what this one holds as well is in. */
  readonly within?: Toolset;
  /** Why it cannot be used; every meta-tool call then answers with this text. */
  readonly invalid?: string;
}

/** One request on its way through the gate: facts plus what the stages found out. */
export interface InboundRequest extends RequestFacts {
  /** Set once at STAGE.identify. */
  caller: Caller | undefined;
  /** Set at STAGE.narrow, by any number of plugins: what is set narrows what was set before, and never widens it. */
  toolset: Toolset | undefined;
  /** Id of the session the request belongs to, once opened. */
  sessionId: string | undefined;
  /** Whose is what it leaves behind while nobody has signed in, where that is not its session; see `ownerOf`. Unique among
   *  sessions and edges, and nothing that a client may choose. */
  anonymousOwner?: string | undefined;
  /** The name that `ownerOf` has given it because nothing was known of it. */
  oneTimeOwner?: string;
}

/** What a caller without sign-in, session and toolset would send: for what Pegboard asks by itself. */
export const ANYONE: InboundRequest = {
  transport: 'internal',
  access: 'caller',
  header: () => undefined,
  caller: undefined,
  toolset: undefined,
  sessionId: undefined,
  anonymousOwner: 'internal',
};

/** An answer that ends a request early, or the answer of a route. A JSON value as body is sent as application/json. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | JsonObject;
}

/** Starts every request; provided by the kernel. */
export interface RequestGate {
  /** Runs onRequest. @returns the request, or the Reply of the tap that ended it. @throws what a tap throws, as GatewayError. */
  open(facts: RequestFacts): Promise<InboundRequest | Reply>;
}
export const RequestGate = one<RequestGate>('request-gate');

export function isReply(value: InboundRequest | Reply): value is Reply {
  return 'status' in value;
}
