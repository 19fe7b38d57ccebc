import { one } from 'pegboard';
import type { Caller, InboundRequest, JsonObject, NoDetails } from 'pegboard';
import type { Notice } from './notices.ts';

declare module 'pegboard' {
  interface ErrorCodes {
    /** what the call asks for is for operators */
    TOOL_FORBIDDEN: NoDetails;
  }
  interface EventMap {
    /** An agent changes the gateway without a question, because its client cannot show one. */
    'operators.unasked': Notice & {
      readonly tool: string;
      readonly server?: string;
      readonly workflow?: string;
    };
  }
  interface Tool {
    /** What a tool of kind core takes; absent: `define`. Other tools take none. */
    readonly authority?: Authority;
    /** True if all that it changes goes through the ResourceStore: a store that `judgesWriters` then decides. */
    readonly writesThroughStore?: true;
    /** What a person has to see before an agent does it, besides the arguments, and where else it is done. A client that
     *  cannot ask is refused then, unless `operators.local` is `define`. */
    readonly confirmed?: Confirmed;
  }
  interface InboundRequest {
    /** Who makes a request of the admin pages, where people sign in there. The caller differs if the request asks what another one may do. */
    actor?: PageActor;
  }
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- every declaration of a generic interface names its parameters
  interface CoreToolParts<Args> {
    readonly authority?: Authority;
    readonly writesThroughStore?: true;
    readonly confirmed?: Confirmed;
  }
}

/** How a call is confirmed that must not be done unseen. */
export interface Confirmed {
  readonly show: (args: JsonObject) => string;
  /** The other ways, for people: `use the command line (…)`. */
  readonly otherWays: string;
}

/** What a core tool takes, from the least: `use` (lists, own runs, own sign-ins), `operate` (the life cycle of shared servers, the
 *  configuration read, other people's data), `define` (definitions and configuration written). */
export type Authority = 'use' | 'operate' | 'define';

/** A person who has signed in at the admin pages. */
export interface PageActor {
  readonly caller: Caller;
  readonly authority: Authority;
}

/** The header by which the command line says that a person has typed the command: `cli`. */
export const CLIENT_HEADER = 'x-pegboard-client';

/** Who asks: an InboundRequest. */
export type Asker = Pick<InboundRequest, 'caller' | 'transport' | 'remoteAddress' | 'header' | 'actor'>;

/** Who may do what with the gateway itself; provided by the plugin `operators`. */
export interface Operators {
  /** What the one who makes the request holds. */
  authorityOf(request: Asker): Authority;
}
export const Operators = one<Operators>('operators');
