import type { Scope } from 'pegboard';
import { html } from '../../kit/http/page.ts';
import type { Html } from '../../kit/http/page.ts';
import type { RunningCall, CallsUnderWay } from '../data/callsUnderWay.ts';
import { excerpt } from '../../kit/pages/excerpt.ts';
import { ownerIn } from '../data/ownerIn.ts';
import type { OtherWorker, OtherWorkers } from '../data/otherWorkers.ts';
import { serversIn } from '../data/servers.ts';
import { sessionFacts, sessionsIn } from '../data/sessions.ts';
import type { SessionFacts } from '../data/sessions.ts';
import { actionForm } from '../../kit/pages/actionForm.ts';
import { definePage } from '../web/definePage.ts';
import type { Page, Visit } from '../web/definePage.ts';
import { pager } from '../../kit/pages/pager.ts';
import { hyperlink, section, table } from '../../kit/pages/parts.ts';
import { ago, counted, inPath, shortId, shown, span } from '../../kit/pages/words.ts';
import { callTable } from './callTable.ts';

/** `/sessions`: the sessions that clients use. */
export function sessionsPage(scope: Scope<unknown>, calls: CallsUnderWay, others: OtherWorkers): Page {
  return definePage({
    path: '/sessions',
    nav: 'Sessions',
    takes: 'use',
    facts: async (visit) => {
      const owner = ownerIn(visit);
      const part = excerpt(sessionsIn(scope, owner), visit.query);
      const servers = serversIn(scope);
      const items = part.items.map((one) => sessionFacts(one, servers));
      const workers = await others.facts(owner);
      return { ...part, items, callsWithoutSession: calls.withoutSession(owner), workers };
    },
    show: (part, visit) => ({
      title: counted(part.total, 'session'),
      body: html`${sessionTable(part.items, visit)}${pager(part, visit.query)}
      ${withoutSession(part.callsWithoutSession, visit)}${part.workers.map(atWorker)}`,
    }),
  });
}

function withoutSession(calls: readonly RunningCall[], visit: Visit): Html {
  return section(
    'Callers without a session',
    html`<p class="quiet">
        Clients of revision 2026-07-28 open no session: one is connected only while it waits for an answer.
      </p>
      ${callTable(calls, visit, '/sessions')}`,
    counted(calls.length, 'call'),
  );
}

/** A session continues at any worker, and is listed where it was used. */
function atWorker({ worker, sessions, sessionCount, calls }: OtherWorker): Html {
  const used = table(
    { caption: `Sessions at worker ${worker}`, empty: 'No client has used a session there.' },
    ['Session', 'Who', 'Client', 'Began', 'Last seen', 'Servers'],
    sessions.map((session) => [
      shortId(session.id),
      whoIn(session),
      clientIn(session),
      ago(session.createdAt),
      ago(session.lastSeenAt),
      connectedIn(session),
    ]),
  );
  const running = table(
    { caption: `Calls under way at worker ${worker}`, empty: 'No call is under way there.' },
    ['Tool', 'Server', 'Session', 'Age'],
    calls.map(({ tool, server, session, caller, since, ageMs }) => [
      html`<code>${shown(tool)}</code>`,
      server && shown(server),
      session === undefined ? caller && shown(caller, 60) : shortId(session),
      html`<time datetime="${since}" title="${since}">${span(ageMs)}</time>`,
    ]),
  );
  return section(`Worker ${worker}`, html`${used}${running}`, counted(sessionCount, 'session'));
}

export function sessionTable(sessions: readonly SessionFacts[], visit: Visit): Html {
  return table(
    { caption: 'Sessions', empty: 'No client has used a session since the last start.' },
    ['Session', 'Who', 'Client', 'Began', 'Last seen', 'Servers', ''],
    sessions.map((session) => [
      hyperlink(`/sessions/${inPath(session.id)}`, shortId(session.id)),
      whoIn(session),
      clientIn(session),
      ago(session.createdAt),
      ago(session.lastSeenAt),
      connectedIn(session),
      endForm(session, visit),
    ]),
  );
}

export function whoIn({ identity }: SessionFacts): string {
  return identity === undefined ? 'without sign-in' : shown(identity.email ?? identity.subject, 60);
}

export function clientIn({ client }: SessionFacts): string | undefined {
  return client && shown(`${client.name} ${client.version}`, 60);
}

export function endForm({ id, canEnd, transport }: SessionFacts, visit: Visit): Html | undefined {
  if (!canEnd) return html`<span class="quiet">over ${shown(transport)}: ends with its client only</span>`;
  return actionForm(visit, {
    action: `/sessions/${inPath(id)}/delete`,
    label: 'End',
    about: `session ${shortId(id)}`,
    warning: 'Its calls are cancelled, and its client has to initialize again.',
  });
}

const MAX_NAMES = 3;

function connectedIn({ servers }: SessionFacts): string {
  const names = servers.slice(0, MAX_NAMES).map((name) => shown(name, 30));
  const more = servers.length - names.length;
  return servers.length === 0 ? 'none' : `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
