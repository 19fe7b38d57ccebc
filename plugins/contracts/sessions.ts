import { one } from 'pegboard';
import type { InboundRequest, JsonObject } from 'pegboard';

declare module 'pegboard' {
  interface EventMap {
    /** A client has initialized a session. */
    'session.opened': { readonly sessionId: string };
    /** A session has ended: its client has left it, it has expired, or another process has ended it. */
    'session.ended': { readonly sessionId: string };
  }
  interface Client {
    /** The name that its program gives itself in `clientInfo`. */
    readonly program?: string | undefined;
  }
}

/** A client's session as stored in its sealed handle; the process keeps nothing else about it (decision D10). */
export interface Session {
  /** Random, unique, not secret; only the handle opens the session. */
  readonly id: string;
  readonly handle: string;
  /** Revision agreed at initialize, for example `2025-11-25`. */
  readonly revision: string;
  /** Subject of the caller that opened it; undefined without sign-in. */
  readonly subject: string | undefined;
  /** What the client declared at initialize: `elicitation`, `sampling`, `roots`. */
  readonly capabilities: JsonObject;
  /** The name that its client gave itself at initialize, cut. */
  readonly program?: string | undefined;
  /** ms since the epoch */
  readonly createdAt: number;
}

/** A session that was used at this process, for the operator. */
export interface SeenSession {
  readonly session: Omit<Session, 'handle'>;
  /** As its client calls itself at initialize: any characters. Undefined if that was at another process or before a restart. */
  readonly client: { readonly name: string; readonly version: string } | undefined;
  /** Who uses it and with which toolset, as of its last request; without headers. */
  readonly request: InboundRequest;
  /** ms since the epoch */
  readonly lastSeenAt: number;
  /** Whether its standing stream is at this process. */
  readonly hasStream: boolean;
  /** False if the session lasts as long as its connection, and the transport cannot end that. */
  readonly canEnd: boolean;
  readonly questions: readonly OpenQuestion[];
}
/** A question of a server that the session's client has not answered yet. */
export interface OpenQuestion {
  /** `elicitation/create` */
  readonly method: string;
  /** ms since the epoch */
  readonly since: number;
}
/** The sessions that clients use at this process. Provided by the plugin `front`. */
export interface SessionList {
  /** The one used last first. */
  all(): readonly SeenSession[];
  get(id: string): SeenSession | undefined;
  /** Ends the session as its client can, and its standing stream or its connection. @returns false if it is not listed
   *  @throws GatewayError REQUEST_FORBIDDEN if it lasts as long as a connection that cannot be ended; STORE_FORBIDDEN as `Front.end` */
  end(id: string): Promise<boolean>;
}
export const SessionList = one<SessionList>('session-list');
