import { GatewayError } from 'pegboard';
import type { InboundRequest, JsonObject, Scope } from 'pegboard';
import { readAction } from '../../kit/faults/action.ts';
import { html } from '../../kit/http/page.ts';
import type { Html } from '../../kit/http/page.ts';
import { answerOf } from '../data/answerOf.ts';
import type { KnownPerson, NamedPerson, Persons } from '../data/persons.ts';
import { runTool } from '../data/runTool.ts';
import { serversIn } from '../data/servers.ts';
import { sessionFacts, sessionNamed, sessionsIn } from '../data/sessions.ts';
import type { SessionFacts } from '../data/sessions.ts';
import { settingsOf } from '../data/settingsOf.ts';
import { asked, textInput } from '../../kit/pages/filterForm.ts';
import { definePage } from '../web/definePage.ts';
import type { Page, Visit } from '../web/definePage.ts';
import { badge, facts, hyperlink, section, table } from '../../kit/pages/parts.ts';
import { wayOut } from '../web/wayOut.ts';
import { inPath, shortId, shown } from '../../kit/pages/words.ts';
import { clientIn, whoIn } from './sessionsPage.ts';

const MAX_SESSIONS = 200;

interface Layer {
  readonly layer: string;
  readonly allow: boolean;
  readonly code?: string;
  readonly reason: string;
  readonly remedy?: string;
  readonly action?: unknown;
  /** Where the setting is that it follows. */
  readonly setting?: string;
}
/** What explain_tool answers. */
interface Explained extends JsonObject {
  readonly name: string;
  readonly visible: boolean;
  readonly callable: boolean;
  readonly how: string;
  readonly layers: readonly Layer[];
  readonly remedy?: string;
  /** The remedy as data. */
  readonly action?: unknown;
  readonly near?: readonly string[];
  readonly server?: JsonObject;
}
interface ExplainFacts {
  readonly sessions: readonly SessionFacts[];
  readonly tool: string;
  /** Undefined without `person`: a request without sign-in, session and toolset. */
  readonly session?: SessionFacts;
  readonly person?: KnownPerson;
  /** Subjects of persons who use sessions. */
  readonly subjects: readonly string[];
  readonly explained?: Explained;
}

/** `/explain?session=…&person=…&tool=…`: why a session, or a person without one, can or cannot call a tool. */
export function explainPage(scope: Scope<unknown>, persons: Persons): Page {
  return definePage<ExplainFacts>({
    path: '/explain',
    nav: 'Explain',
    facts: async ({ query, request }) => {
      const [id, tool, who] = [asked(query, 'session'), asked(query, 'tool'), asked(query, 'person')];
      if (id !== '' && who !== '')
        throw new GatewayError('REQUEST_MALFORMED', 'name a session or a person, not both');
      const seen = id === '' ? undefined : sessionNamed(scope, id);
      const person = who === '' ? undefined : await persons.requestOf({ who, ...detailsIn(query) }, request);
      const { transport, actor } = request;
      const ofSession = seen && { ...seen.request, transport, ...(actor && { actor }) };
      const ofNobody = { ...request, caller: undefined };
      const sessions = sessionsIn(scope).slice(0, MAX_SESSIONS);
      return {
        sessions: sessions.map((one) => sessionFacts(one, [])),
        subjects: persons.subjects(),
        tool,
        ...(seen !== undefined && { session: sessionFacts(seen, serversIn(scope)) }),
        ...(person !== undefined && { person: person.known }),
        ...(tool !== '' && {
          explained: await explain(scope, tool, person?.request ?? ofSession ?? ofNobody),
        }),
      };
    },
    show: (all, visit) => ({
      title: 'Why can a person or a session call a tool, or not?',
      body: html`${question(all, visit.query)}${all.explained === undefined ? undefined : answer(all, all.explained, visit)}`,
    }),
  });
}

function detailsIn(query: URLSearchParams): Omit<NamedPerson, 'who'> {
  const groups = asked(query, 'groups')
    .split(',')
    .map((group) => group.trim())
    .filter((group) => group !== '');
  return { issuer: asked(query, 'issuer'), groups, toolset: asked(query, 'toolset') };
}

/** Asks the meta-tool, so that the page says what a client is told; also for a toolset with which a client can call no tool at all. */
async function explain(scope: Scope<unknown>, name: string, request: InboundRequest): Promise<Explained> {
  const explained = answerOf(await runTool(scope, 'explain_tool', { name }, request)) as Explained;
  const server = explained.server?.['name'];
  const settingOf = await settingsOf(scope, typeof server === 'string' ? server : undefined);
  const layers = explained.layers.map((one) => {
    const setting = settingOf(one.layer);
    return { ...one, ...(setting !== undefined && { setting }) };
  });
  return { ...explained, layers };
}

function question({ sessions, tool, session, subjects }: ExplainFacts, query: URLSearchParams): Html {
  const isMissing = session !== undefined && !sessions.some(({ id }) => id === session.id);
  const options = [...sessions, ...(isMissing ? [session] : [])].map((one) => {
    const words = `${shortId(one.id)} · ${whoIn(one)} · ${clientIn(one) ?? one.transport}`;
    if (one.id === session?.id) return html`<option value="${one.id}" selected>${words}</option>`;
    return html`<option value="${one.id}">${words}</option>`;
  });
  return html`<section>
    <form method="get" action="/explain" class="fields">
      <p>
        <label for="session">Session</label>
        <select id="session" name="session">
          <option value="">none: the person below, or a request without sign-in and toolset</option>
          ${options}
        </select>
      </p>
      <p>
        <label for="person">Or a person</label>
        ${textInput('person', { name: 'person', example: 'subject or email', known: subjects }, asked(query, 'person'))}
      </p>
      <details data-keep="person" ${isDetailed(query) ? html`open` : undefined}>
        <summary>Of a person who uses no session now</summary>
        ${detail(query, 'issuer', 'Issuer', 'https://id.example.com')}
        ${detail(query, 'groups', 'Groups', 'sales, support')}
        ${detail(query, 'toolset', 'Toolset that the client declares', 'server:github')}
      </details>
      <p>
        <label for="tool">Tool</label>
        <input id="tool" name="tool" value="${tool}" required autocomplete="off" spellcheck="false" />
      </p>
      <p><button class="strong">Explain</button></p>
    </form>
  </section>`;
}

const DETAILS = ['issuer', 'groups', 'toolset'] as const;

function isDetailed(query: URLSearchParams): boolean {
  return DETAILS.some((name) => asked(query, name) !== '');
}

function detail(
  query: URLSearchParams,
  name: (typeof DETAILS)[number],
  label: string,
  example: string,
): Html {
  return html`<p>
    <label for="${name}">${label}</label>
    ${textInput(name, { name, example }, asked(query, name))}
  </p>`;
}

/** Who is meant, and how that is found out. */
function personWords({ subject, issuer, isSeen }: KnownPerson): string {
  const of = issuer === undefined ? '' : ` of ${shown(issuer, 200)}`;
  const how = isSeen
    ? 'with the groups of a session in use'
    : 'with what is typed above; no session of this person is in use';
  return `${shown(subject, 200)}${of}, ${how}`;
}

/** What helps, in the words of this page where it is data. */
function helpIn(
  { remedy, action }: Pick<Explained, 'remedy' | 'action'>,
  visit: Visit,
): Html | string | undefined {
  const known = readAction(action);
  return known === undefined ? remedy && shown(remedy, 600) : wayOut(known, visit);
}

function answer({ session, person }: ExplainFacts, explained: Explained, visit: Visit): Html {
  const { name, callable, visible, how, layers, near = [], server } = explained;
  const helps = helpIn(explained, visit);
  const to = (tool: string): Html => {
    const other = new URLSearchParams(visit.query);
    other.set('tool', tool);
    return hyperlink(`/explain?${other.toString()}`, tool);
  };
  const serverName = server?.['name'];
  const body = html`${facts([
    ['Tool', html`<code>${shown(name)}</code>`],
    ['For', person === undefined ? session && `session ${shortId(session.id)}` : personWords(person)],
    ['Can it see it?', visible ? 'yes' : 'no'],
    ['How', shown(how)],
    [
      'Server',
      typeof serverName === 'string' ? hyperlink(`/mcps/${inPath(serverName)}`, serverName) : undefined,
    ],
    ['State of the server', typeof server?.['state'] === 'string' ? badge(server['state']) : undefined],
    ['Last words', typeof server?.['error'] === 'string' ? shown(server['error'], 300) : undefined],
    ['Sign-in', typeof server?.['signIn'] === 'string' ? badge(server['signIn']) : undefined],
  ])}
  ${helps && html`<div class="remedy"><strong>What helps:</strong> ${helps}</div>`}
  ${near.length === 0 ? undefined : html`<p>Did you mean ${near.map((one) => html`${to(one)} `)}?</p>`}`;
  return html`${section('Answer', body, badge(callable ? 'allowed' : 'refused'))}
  ${section(
    'Layers',
    table(
      { caption: 'Layers', empty: 'No layer has judged it.' },
      ['Layer', 'Verdict', 'Code', 'Reason', 'What helps', 'Setting'],
      layers.map((one) => [
        one.layer,
        badge(one.allow ? 'allowed' : 'refused'),
        one.code && html`<code>${one.code}</code>`,
        shown(one.reason, 400),
        helpIn(one, visit),
        one.setting && html`<code>${shown(one.setting, 300)}</code>`,
      ]),
    ),
    'asked from the top; the first refusal decides',
  )}`;
}
