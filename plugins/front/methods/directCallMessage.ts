import { ToolTable } from 'pegboard';
import type { InboundRequest, Scope } from 'pegboard';
import { callText, meantCall } from '../../kit/calls/meantCall.ts';
import type { WrongCall } from '../../kit/calls/meantCall.ts';
import { quotedName, unknownTool } from '../../kit/calls/unknownTool.ts';

/** Refusals after which call_tool waits for the server, or offers the sign-in that it takes. */
const PASSING: ReadonlySet<string | undefined> = new Set(['UPSTREAM_UNREACHABLE', 'UPSTREAM_AUTH_REQUIRED']);

/** The message to a client that calls by name what is not in tools/list, with the call to make instead.
 *  Source: requirement error.direct. */
export function directCallMessage(wrong: WrongCall, scope: Scope<unknown>, request: InboundRequest): string {
  const what = `${quotedName(wrong.name)} cannot be called by name; only the tools of tools/list can, and call_tool runs all others`;
  return `${what}. ${remedy(wrong, scope, request)}`;
}

function remedy(wrong: WrongCall, scope: Scope<unknown>, request: InboundRequest): string {
  const { name, args } = wrong;
  const table = scope.get(ToolTable);
  const { call, names } = meantCall(wrong, table, request);
  if (call !== undefined) return `Call ${callText(call)}`;
  const [first] = names;
  if (first !== undefined) {
    const one = callText({ name: 'call_tool', arguments: { name: first, arguments: args } });
    return `Several tools may be meant: ${names.join(', ')}. Call for example ${one}`;
  }
  const refusal = table.refusal(name, table.find(name, request), request);
  if (refusal === undefined) return `No tool has this name: ${unknownTool(name, scope, request).text}`;
  if (PASSING.has(refusal.code))
    return `Call ${callText({ name: 'call_tool', arguments: { name, arguments: args } })}`;
  return [refusal.reason, ...(refusal.remedy === undefined ? [] : [refusal.remedy])].join('; ');
}
