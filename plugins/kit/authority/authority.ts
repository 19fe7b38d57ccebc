import { GatewayError } from 'pegboard';
import type { Caller, Tool } from 'pegboard';
import type { Authority } from '../../contracts/operators.ts';

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

/** The end of a refusal. */
export const WHO_OPERATES =
  'operators are those named under operators in config.yaml, and groups with operator in an entry of access';

/** @param what with its verb: `the lines of server a are` */
export function onlyForOperators(what: string): GatewayError {
  return new GatewayError('TOOL_FORBIDDEN', `${what} for operators; ${WHO_OPERATES}`);
}

/** Whether an entry of `access` is for callers of that issuer: groups of two issuers may have one name. */
export function isOfIssuer(entry: { readonly issuer?: string }, caller: Caller): boolean {
  return entry.issuer === undefined || entry.issuer === caller.issuer;
}

/** The groups of a caller, `claims.groups`: a list of names, or one name. */
export function groupsOf({ claims }: Caller): readonly string[] {
  const named: unknown = claims?.['groups'];
  return [named].flat().filter((group) => typeof group === 'string');
}
