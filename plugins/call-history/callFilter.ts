import { asked } from '../kit/pages/filterForm.ts';
import { readTime } from '../kit/text/readTime.ts';
import type { IndexedCall } from './segments.ts';

/** Names of query parameters, in the order of their fields. */
export const FILTERS = ['server', 'tool', 'who', 'session', 'outcome', 'code', 'since', 'until'] as const;

const OUTCOMES = new Map<string, (call: IndexedCall) => boolean>([
  ['ok', ({ code }) => code === 'ok'],
  ['error', ({ code }) => code !== 'ok'],
  ['refused', ({ isRefused }) => isRefused],
]);

/** Whether a call is one of those that the query of a page asks for.
 *  @throws GatewayError TOOL_ARGUMENTS for a time in another form */
export function callFilter(query: URLSearchParams): (call: IndexedCall) => boolean {
  const [server, tool, who, session, outcome, code] = FILTERS.map((name) => asked(query, name));
  const time = (name: string, absent: number): number => {
    const text = asked(query, name);
    return text === '' ? absent : readTime(name, text, Date.now());
  };
  const [since, until] = [time('since', -Infinity), time('until', Infinity)];
  const isOutcome = OUTCOMES.get(outcome ?? '') ?? (() => true);
  return (call) =>
    call.at >= since &&
    call.at < until &&
    isAsked(server, call.server) &&
    isAsked(tool, call.tool) &&
    isAsked(who, call.who) &&
    (session === '' || call.session?.startsWith(session ?? '') === true) &&
    isAsked(code, call.code) &&
    isOutcome(call);
}

function isAsked(wanted: string | undefined, value: string | undefined): boolean {
  return wanted === '' || wanted === value;
}
