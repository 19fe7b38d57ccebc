import type { Scope } from 'pegboard';
import { html } from '../../kit/http/page.ts';
import type { Html } from '../../kit/http/page.ts';
import type { RunningCall, CallsUnderWay } from '../data/callsUnderWay.ts';
import { spanBegan } from '../data/callSeries.ts';
import type { CallFigures } from '../data/callSeries.ts';
import { sumOfMinutes } from '../data/minutes.ts';
import type { Minute, Minutes } from '../data/minutes.ts';
import { problemsIn } from '../data/problemsIn.ts';
import type { Problem } from '../data/problemsIn.ts';
import { contextCosts, serverFacts, serversIn } from '../data/servers.ts';
import type { ContextCost } from '../data/servers.ts';
import { sessionFacts, sessionsIn } from '../data/sessions.ts';
import type { SessionFacts } from '../data/sessions.ts';
import { callsAt, callsLink } from '../web/callLinks.ts';
import { definePage } from '../web/definePage.ts';
import type { Page, Visit } from '../web/definePage.ts';
import { badge, hyperlink, section, table } from '../../kit/pages/parts.ts';
import { count, counted, inPath } from '../../kit/pages/words.ts';
import { FIGURE_HEADS, callFigures, callTimes, figureCells, spanIn } from './callChart.ts';
import type { CallTimes } from './callChart.ts';
import { problemItem } from './problemItem.ts';
import { callTable } from './callTable.ts';
import { sessionTable } from './sessionsPage.ts';

const MAX_SHOWN = 10;
/** What a gateway without servers needs. */
const FIRST = html`<p>Agents find no tools here until there is a server.</p>
  <p><a class="button strong" href="/mcps/new">Add a server</a></p>`;

interface OverviewFacts {
  readonly problems: readonly Problem[];
  /** State → number of servers. */
  readonly servers: Readonly<Record<string, number>>;
  readonly cost: ContextCost;
  readonly sessions: { readonly total: number; readonly latest: readonly SessionFacts[] };
  readonly calls: {
    readonly underWay: readonly RunningCall[];
    /** The oldest first. */
    readonly minutes: readonly Minute[];
    readonly byServer: Readonly<Record<string, Minute>>;
    readonly times: CallTimes;
    /** The figures of each server over the time that was asked for. */
    readonly figures: Readonly<Record<string, CallFigures>>;
  };
}

/** `/`: the health of everything on one screen, problems first. */
export function overviewPage(scope: Scope<unknown>, calls: CallsUnderWay, minutes: Minutes): Page {
  const costFor = contextCosts(scope);
  return definePage<OverviewFacts>({
    path: '/',
    nav: 'Overview',
    facts: ({ query, request }) => {
      const services = serversIn(scope);
      const servers = services.map(serverFacts);
      const sessions = sessionsIn(scope);
      minutes.forgetOthers(new Set(servers.map(({ name }) => name)));
      return {
        problems: problemsIn(scope, servers),
        servers: countStates(servers.map(({ state }) => state)),
        cost: costFor(request),
        sessions: {
          total: sessions.length,
          latest: sessions.slice(0, MAX_SHOWN).map((one) => sessionFacts(one, services)),
        },
        calls: {
          underWay: calls.all(),
          minutes: minutes.all(),
          byServer: minutes.servers(),
          times: callTimes(minutes.series(), query),
          figures: minutes.figures(spanIn(query)),
        },
      };
    },
    show: (all, visit) => ({ title: 'Overview', body: overview(scope, all, visit) }),
  });
}

function countStates(states: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const state of [...states].sort()) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

function overview(scope: Scope<unknown>, all: OverviewFacts, visit: Visit): Html {
  const { problems, sessions, calls } = all;
  const more = sessions.total - sessions.latest.length;
  const isFirst = Object.keys(all.servers).length === 0 && visit.lacks('/mcps') === undefined;
  const addFirst = isFirst ? section('No server yet', FIRST) : undefined;
  return html`${tiles(scope, all)} ${addFirst}
  ${
    problems.length === 0
      ? undefined
      : section(
          counted(problems.length, 'problem'),
          problems.map((one) => problemItem(one, visit)),
          undefined,
          'problems',
        )
  }
  ${section(`Calls in the last ${calls.times.span}`, latest(scope, calls), undefined, 'calls')}
  ${section(
    'Calls under way',
    callTable(calls.underWay.slice(0, MAX_SHOWN), visit, '/'),
    calls.underWay.length > MAX_SHOWN ? `the ${MAX_SHOWN} oldest` : undefined,
  )}
  ${section(
    'Sessions',
    sessionTable(sessions.latest, visit),
    more > 0 ? hyperlink('/sessions', `and ${count(more)} more`) : undefined,
  )}`;
}

function tiles(scope: Scope<unknown>, { servers, cost, sessions, calls, problems }: OverviewFacts): Html {
  const since = spanBegan('hour');
  const total = Object.values(servers).reduce((sum, each) => sum + each, 0);
  const { calls: made, errors } = sumOfMinutes(calls.minutes);
  const states = Object.entries(servers).map(
    ([state, each]) => html`<li>${badge(state)} ${count(each)}</li>`,
  );
  return html`<ul class="tiles">
    ${tile(
      '/mcps',
      counted(total, 'server'),
      html`<ul class="states">
        ${states}
      </ul>`,
    )}
    ${tile('/sessions', counted(sessions.total, 'session'), counted(calls.underWay.length, 'call') + ' under way')}
    ${tile(
      callsAt(scope, { since }) ?? '#calls',
      counted(made, 'call'),
      html`${callsLink(scope, { since, outcome: 'error' }, counted(errors, 'error'))} in the last hour`,
    )}
    ${tile(
      '/connect#tokens',
      counted(cost.metaTools.tokens, 'token'),
      `for each agent; all ${counted(cost.allTools.tools, 'tool')} would take ${count(cost.allTools.tokens)}`,
    )}
    ${tile(problems.length === 0 ? '/events' : '#problems', counted(problems.length, 'problem'), problems.length === 0 ? 'all is well' : 'see below')}
  </ul>`;
}

function tile(path: string, title: string, detail: string | Html): Html {
  return html`<li>
    <a href="${path}"><b>${title}</b></a>
    <div class="note">${detail}</div>
  </li>`;
}

function latest(scope: Scope<unknown>, { times, figures }: OverviewFacts['calls']): Html {
  const busiest = Object.entries(figures)
    .sort(([, one], [, other]) => other.calls - one.calls)
    .slice(0, MAX_SHOWN);
  const rows = busiest.map(([server, each]) => [
    hyperlink(`/mcps/${inPath(server)}?span=${times.span}#calls`, server),
    ...figureCells(each, times.span, (query) => callsAt(scope, { server, ...query })),
  ]);
  const empty = 'No tool of a server was called.';
  return html`${callFigures('/', times, 'All tools', (query) => callsAt(scope, query))}
  ${table({ caption: 'Calls by server', empty }, ['Server', ...FIGURE_HEADS], rows)}`;
}
