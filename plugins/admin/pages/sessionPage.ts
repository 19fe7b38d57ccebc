import type { Scope, Toolset } from 'pegboard';
import { html } from '../../kit/http/page.ts';
import type { Html } from '../../kit/http/page.ts';
import type { RunningCall, CallsUnderWay } from '../data/callsUnderWay.ts';
import { ownerIn } from '../data/ownerIn.ts';
import { serversIn } from '../data/servers.ts';
import { serversOf, sessionFacts, sessionNamed } from '../data/sessions.ts';
import type { SessionFacts, SessionServer } from '../data/sessions.ts';
import { actionForm } from '../../kit/pages/actionForm.ts';
import { callButtons } from '../web/callLinks.ts';
import { definePage } from '../web/definePage.ts';
import type { Page, Visit } from '../web/definePage.ts';
import { badge, facts, hyperlink, section, table } from '../../kit/pages/parts.ts';
import { ago, count, counted, inPath, shortId, shown } from '../../kit/pages/words.ts';
import { callTable } from './callTable.ts';
import { clientIn, endForm, whoIn } from './sessionsPage.ts';

interface SessionPageFacts {
  readonly session: SessionFacts;
  /** Selectors that narrow what it sees; empty: nothing does. */
  readonly toolset: readonly string[];
  /** What its client can be asked, as it declared. */
  readonly capabilities: readonly string[];
  readonly hasStream: boolean;
  readonly questions: readonly { readonly method: string; readonly since: string }[];
  readonly calls: readonly RunningCall[];
  readonly connections: readonly SessionServer[];
}

/** `/sessions/<id>`: one session. */
export function sessionPage(scope: Scope<unknown>, calls: CallsUnderWay): Page {
  return definePage<SessionPageFacts>({
    path: '/sessions/:id',
    takes: 'use',
    facts: async (visit) => {
      const seen = sessionNamed(scope, visit.params['id'] ?? '', ownerIn(visit));
      return {
        session: sessionFacts(seen, serversIn(scope)),
        toolset: selectorsIn(seen.request.toolset),
        capabilities: Object.keys(seen.session.capabilities),
        hasStream: seen.hasStream,
        questions: seen.questions.map(({ method, since }) => ({
          method,
          since: new Date(since).toISOString(),
        })),
        calls: calls.all(seen.session.id),
        connections: await serversOf(scope, seen),
      };
    },
    show: (all, visit) => ({
      title: `Session ${shortId(all.session.id)}`,
      body: html`${identity(all, visit, callButtons(scope, { session: all.session.id }))}
      ${section('Calls under way', callTable(all.calls, visit, `/sessions/${inPath(all.session.id)}`))}
      ${connections(all, visit)} ${questions(all)}`,
    }),
  });
}

function selectorsIn(toolset: Toolset | undefined): readonly string[] {
  if (toolset === undefined) return [];
  return [...toolset.selectors, ...selectorsIn(toolset.within)];
}

function identity(
  { session, toolset, capabilities, hasStream }: SessionPageFacts,
  visit: Visit,
  calls: Html | undefined,
): Html {
  const { id, identity: who, revision, transport, createdAt, lastSeenAt } = session;
  const isAll = ownerIn(visit) === undefined;
  const body = html`${facts([
      ['Who', whoIn(session)],
      ['Subject', who && shown(who.subject)],
      ['Issuer', who?.issuer && shown(who.issuer)],
      ['Groups', who?.groups?.map((group) => shown(group, 40)).join(', ')],
      ['Client', clientIn(session) ?? 'not known: it initialized before the last start'],
      ['Revision of MCP', revision],
      ['Transport', shown(transport)],
      ['Began', ago(createdAt)],
      ['Last seen', ago(lastSeenAt)],
      ['Toolset', toolset.length === 0 ? 'all tools' : toolset.map((one) => shown(one, 60)).join(', ')],
      ['Its client can be asked', capabilities.length === 0 ? 'nothing' : capabilities.join(', ')],
      ['Standing stream', hasStream ? 'open' : 'none'],
      ['Id in the log', id],
    ])}
    <div class="row actions">
      ${endForm(session, visit)}
      ${isAll ? html`<a class="button" href="/explain?session=${inPath(id)}">Explain a tool for it</a>` : undefined}
      ${isAll ? calls : undefined}
    </div>`;
  return section('Who', body);
}

function connections({ session, connections: servers }: SessionPageFacts, visit: Visit): Html {
  const isAll = ownerIn(visit) === undefined;
  return section(
    'Servers',
    table(
      { caption: 'Servers of this session', empty: 'It sees no tool of any server.' },
      ['Server', 'State', 'Connection', 'Tools', 'Sign-in', ''],
      servers.map(({ name, state, connection, tools, signIn, grant }) => [
        isAll ? hyperlink(`/mcps/${inPath(name)}`, name) : shown(name),
        state === 'none' ? 'begins with a call' : badge(state),
        connection === 'own' ? 'its own' : 'shared',
        html`<span class="number">${count(tools)}</span>`,
        signIn === undefined
          ? undefined
          : html`${badge(signIn)} ${grant?.reason === undefined ? undefined : shown(grant.reason)}
            ${grant?.cure === undefined ? undefined : shown(grant.cure)}`,
        isAll
          ? actionForm(visit, {
              action: `/sessions/${inPath(session.id)}/servers/${inPath(name)}/reconnect`,
              label: 'Reconnect',
              about: shown(name),
              ...(connection === 'shared' && {
                warning:
                  'All sessions share this connection: calls of all of them that run at this server end with an error.',
              }),
            })
          : undefined,
      ]),
    ),
    counted(servers.length, 'server'),
  );
}

function questions({ questions: open }: SessionPageFacts): Html {
  return section(
    'Open questions',
    table(
      { caption: 'Open questions', empty: 'No server waits for an answer of its client.' },
      ['Question', 'Asked'],
      open.map(({ method, since }) => [html`<code>${shown(method)}</code>`, ago(since)]),
    ),
  );
}
