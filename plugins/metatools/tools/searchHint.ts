import type { InboundRequest, Scope } from 'pegboard';
import type { AbsentServers } from './absentServers.ts';
import type { StillStarting } from './stillStarting.ts';
import { wayTo } from './wayTo.ts';

const MAX_NAMED = 5;

export interface HintParts {
  readonly request: InboundRequest;
  readonly starting: StillStarting;
  readonly absent: AbsentServers;
  readonly total: number;
  readonly isSure: boolean;
}

/** Advice for an answer without confident matches, or to a request about a server that has to be unlocked or started first. */
export function searchHint(
  scope: Scope<unknown>,
  { request, starting, absent, total, isSure }: HintParts,
): string | undefined {
  if (isSure) return absent.hint;
  const isStarting = starting.names(request).length > 0;
  if (isStarting) return [CONNECTING, absent.hint].filter((part) => part !== undefined).join('; ');
  if (absent.hint !== undefined) return absent.hint;
  const none = total === 0 ? NO_MATCH : WEAK_MATCHES;
  return none + lockedRest(absent) + unlistedRest(scope, starting.unlisted(request), request);
}

const CONNECTING =
  'no confident match yet: servers_starting are still connecting; search again in a few seconds';
const NO_MATCH = 'no tool matches; try other words, fewer filters, or page through list_tools';
const WEAK_MATCHES =
  'weak matches only: there may be no tool for this; check the summaries before you call one, or name the action, its object and the product in fewer words';

function lockedRest({ names, more, isForSignIn }: AbsentServers): string {
  if (names.size === 0) return '';
  const others = more === 0 ? '' : `, or one of up to ${more} more, which list_tools names`;
  const when = isForSignIn ? 'after a sign-in' : 'once its remedy is done';
  return `; one of servers_requiring_auth may have it ${when}${others}`;
}

function unlistedRest(scope: Scope<unknown>, servers: readonly string[], request: InboundRequest): string {
  const [name] = servers;
  if (name === undefined) return '';
  const named = servers.slice(0, MAX_NAMED).join(', ');
  const more = servers.length > MAX_NAMED ? ` and ${servers.length - MAX_NAMED} more` : '';
  const way = wayTo(scope, request, { tool: 'core_service_status', args: { name }, otherwise: '' });
  const why = 'call_tool' in way ? `; call_tool ${JSON.stringify(way.call_tool)} says why` : '';
  return `; the tools of ${named}${more} are not known now${why}`;
}
