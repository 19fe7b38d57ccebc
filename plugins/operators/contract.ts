import { GatewayError, one } from 'pegboard';
import type { Notice } from '../core-events/contract.ts';
import type { Caller, InboundRequest, NoDetails, Scope, Tool } from 'pegboard';

/** What a core tool takes, from the least: `use` (lists, own runs, own sign-ins), `operate` (the life cycle of shared servers, the
 *  configuration read, other people's data), `define` (definitions and configuration written). */
export type Authority = 'use' | 'operate' | 'define';

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
  }
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- every declaration of a generic interface names its parameters
  interface CoreToolParts<Args> {
    readonly authority?: Authority;
    readonly writesThroughStore?: true;
  }
}

const RANK = { use: 0, operate: 1, define: 2 } as const;

export function suffices(held: Authority, taken: Authority): boolean {
  return RANK[held] >= RANK[taken];
}

/** What a tool takes. */
export function authorityTaken({ kind, authority = 'define' }: Tool): Authority {
  return kind === 'core' ? authority : 'use';
}

/** Whether a core tool starts programs, opens connections to addresses of the caller's choice, or changes what does: rules on
 *  destructive tools apply to it, whatever its annotations say. */
export function reachesOut(tool: Tool): boolean {
  const { readOnlyHint, openWorldHint } = tool.annotations ?? {};
  const taken = authorityTaken(tool);
  return taken === 'define' || (taken === 'operate' && (readOnlyHint !== true || openWorldHint === true));
}

/** The header by which the command line says that a person has typed the command: `cli`. */
export const CLIENT_HEADER = 'x-pegboard-client';

/** Who asks: an InboundRequest. */
export type Asker = Pick<InboundRequest, 'caller' | 'transport' | 'remoteAddress' | 'header'>;

/** Who may do what with the gateway itself; provided by the plugin `operators`. */
export interface Operators {
  /** What the one who makes the request holds. */
  authorityOf(request: Asker): Authority;
}
export const Operators = one<Operators>('operators');

/** Whether the request may see what is for operators; true without the plugin. */
export function mayOperate(scope: Pick<Scope<unknown>, 'all'>, request: Asker): boolean {
  return scope.all(Operators).every((operators) => suffices(operators.authorityOf(request), 'operate'));
}

/** The end of a refusal. */
export const WHO_OPERATES =
  'operators are those named under operators in config.yaml, and groups with operator in an entry of access';

/** @param what with its verb: `the lines of server a are` */
export function onlyForOperators(what: string): GatewayError {
  return new GatewayError('TOOL_FORBIDDEN', `${what} for operators; ${WHO_OPERATES}`);
}

/** The groups of a caller, `claims.groups`: a list of names, or one name. */
export function groupsOf({ claims }: Caller): readonly string[] {
  const named: unknown = claims?.['groups'];
  return [named].flat().filter((group) => typeof group === 'string');
}
