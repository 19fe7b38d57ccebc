import { CallPath, GatewayError } from 'pegboard';
import type { InboundRequest, JsonObject, Scope } from 'pegboard';
import { html } from '../../http/contract.ts';
import type { Html } from '../../http/contract.ts';
import { serversIn } from '../data/servers.ts';
import { sessionFacts, sessionNamed, sessionsIn } from '../data/sessions.ts';
import type { SessionFacts } from '../data/sessions.ts';
import { page } from '../web/page.ts';
import type { Page } from '../web/page.ts';
import { badge, facts, link, section, table } from '../web/parts.ts';
import { inPath, shown } from '../web/words.ts';
import { clientIn, shortId, whoIn } from './sessionsPage.ts';

const MAX_SESSIONS = 200;

interface Layer {
  readonly layer: string;
  readonly allow: boolean;
  readonly code?: string;
  readonly reason: string;
  readonly remedy?: string;
}
/** What explain_tool answers. */
interface Explained extends JsonObject {
  readonly name: string;
  readonly visible: boolean;
  readonly callable: boolean;
  readonly how: string;
  readonly layers: readonly Layer[];
  readonly remedy?: string;
  readonly near?: readonly string[];
  readonly server?: JsonObject;
}
interface ExplainFacts {
  readonly sessions: readonly SessionFacts[];
  readonly tool: string;
  /** Undefined: a request without sign-in, session and toolset. */
  readonly session?: SessionFacts;
  readonly explained?: Explained;
}

/** `/explain?session=…&tool=…`: why a session can or cannot call a tool. */
export function explainPage(scope: Scope<unknown>): Page {
  return page<ExplainFacts>({
    path: '/explain',
    nav: 'Explain',
    facts: async ({ query, request }) => {
      const id = query.get('session') ?? '';
      const tool = query.get('tool') ?? '';
      const seen = id === '' ? undefined : sessionNamed(scope, id);
      const sessions = sessionsIn(scope).slice(0, MAX_SESSIONS);
      const asker = seen === undefined ? request : { ...seen.request, transport: request.transport };
      return {
        sessions: sessions.map((one) => sessionFacts(one, [])),
        tool,
        ...(seen !== undefined && { session: sessionFacts(seen, serversIn(scope)) }),
        ...(tool !== '' && { explained: await explain(scope, tool, asker) }),
      };
    },
    show: (all) => ({
      title: 'Why can a session call a tool, or not?',
      body: html`${question(all)}${all.explained === undefined ? undefined : answer(all, all.explained)}`,
    }),
  });
}

/** By the meta-tool, so that the page says what a client is told. */
async function explain(scope: Scope<unknown>, name: string, request: InboundRequest): Promise<Explained> {
  const result = await scope.get(CallPath).call('explain_tool', { name }, request);
  const [part] = result.value().content;
  const text = typeof part?.['text'] === 'string' ? part['text'] : '';
  if (result.value().isError === true) throw new GatewayError('REQUEST_FORBIDDEN', text);
  return JSON.parse(text) as Explained;
}

function question({ sessions, tool, session }: ExplainFacts): Html {
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
          <option value="">a request without sign-in and toolset</option>
          ${options}
        </select>
      </p>
      <p>
        <label for="tool">Tool</label>
        <input id="tool" name="tool" value="${tool}" required autocomplete="off" spellcheck="false" />
      </p>
      <p><button class="strong">Explain</button></p>
    </form>
  </section>`;
}

function answer({ session }: ExplainFacts, explained: Explained): Html {
  const { name, callable, visible, how, layers, remedy, near = [], server } = explained;
  const to = (tool: string): Html =>
    link(`/explain?session=${inPath(session?.id ?? '')}&tool=${inPath(tool)}`, tool);
  const serverName = server?.['name'];
  const body = html`${facts([
    ['Tool', html`<code>${shown(name)}</code>`],
    ['Can it see it?', visible ? 'yes' : 'no'],
    ['How', shown(how)],
    ['Server', typeof serverName === 'string' ? link(`/mcps/${inPath(serverName)}`, serverName) : undefined],
    ['State of the server', typeof server?.['state'] === 'string' ? badge(server['state']) : undefined],
    ['Last words', typeof server?.['error'] === 'string' ? shown(server['error'], 300) : undefined],
    ['Sign-in', typeof server?.['signIn'] === 'string' ? badge(server['signIn']) : undefined],
  ])}
  ${remedy === undefined ? undefined : html`<p class="remedy"><strong>What helps:</strong> ${shown(remedy, 600)}</p>`}
  ${near.length === 0 ? undefined : html`<p>Did you mean ${near.map((one) => html`${to(one)} `)}?</p>`}`;
  return html`${section('Answer', body, badge(callable ? 'allowed' : 'refused'))}
  ${section(
    'Layers',
    table(
      { caption: 'Layers', empty: 'No layer has judged it.' },
      ['Layer', 'Verdict', 'Code', 'Reason', 'What helps'],
      layers.map((one) => [
        one.layer,
        badge(one.allow ? 'allowed' : 'refused'),
        one.code && html`<code>${one.code}</code>`,
        shown(one.reason, 400),
        one.remedy && shown(one.remedy, 400),
      ]),
    ),
    'asked from the top; the first refusal decides',
  )}`;
}
