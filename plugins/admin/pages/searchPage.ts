import { ConfigControl, isObject } from 'pegboard';
import type { JsonObject, Scope } from 'pegboard';
import { html } from '../../kit/http/page.ts';
import { WorkflowRuns } from '../../contracts/runs.ts';
import { ConfigOrigins } from '../../contracts/settings.ts';
import { answerOf } from '../data/answerOf.ts';
import { runTool } from '../data/runTool.ts';
import { serversIn } from '../data/servers.ts';
import { sessionFacts, sessionsIn } from '../data/sessions.ts';
import { asked } from '../../kit/pages/filterForm.ts';
import { definePage } from '../web/definePage.ts';
import type { Page, Visit } from '../web/definePage.ts';
import { hyperlink, section, table } from '../../kit/pages/parts.ts';
import { counted, inPath, shown } from '../../kit/pages/words.ts';
import { clientIn, whoIn } from './sessionsPage.ts';

const MOST = 20;
const MAX_CHARS = 200;

interface Found {
  readonly name: string;
  readonly path: string;
  readonly what: string;
}
interface SearchFacts {
  /** What was found, by heading. */
  readonly found: Readonly<Record<string, readonly Found[]>>;
}

/** `/search?q=`: servers, tools, workflows, runs, sessions and settings that have a word. */
export function searchPage(scope: Scope<unknown>): Page {
  return definePage<SearchFacts>({
    path: '/search',
    facts: async (visit) => ({ found: asked(visit.query, 'q') === '' ? {} : await found(scope, visit) }),
    show: ({ found: all }, { query }) => {
      const parts = Object.entries(all).filter(([, list]) => list.length > 0);
      const none = asked(query, 'q') === '' ? 'Type a name or a word above.' : 'Nothing fits.';
      return {
        title: 'Search',
        body: html`${parts.length === 0 ? html`<p class="empty">${none}</p>` : undefined}
        ${parts.map(([title, list]) =>
          section(
            title,
            table(
              { caption: title, empty: '' },
              ['Name', 'What'],
              list.map(({ name, path, what }) => [hyperlink(path, name), shown(what, 200)]),
            ),
            counted(list.length, 'entry').replace(/entrys$/, 'entries'),
          ),
        )}`,
      };
    },
  });
}

async function found(scope: Scope<unknown>, { query, request }: Visit): Promise<SearchFacts['found']> {
  const q = shown(asked(query, 'q'), MAX_CHARS);
  const word = q.toLowerCase();
  const fitting = (list: readonly Found[]): readonly Found[] =>
    list.filter(({ name, what }) => `${name} ${what}`.toLowerCase().includes(word)).slice(0, MOST);
  const services = serversIn(scope);
  const listed = async (args: JsonObject): Promise<readonly JsonObject[]> => {
    const { tools } = answerOf(await runTool(scope, 'filter_tools', { ...args, limit: MOST }, request));
    return Array.isArray(tools) ? tools.filter(isObject) : [];
  };
  // A search in words does not find a part of a name.
  const both = [...(await listed({ pattern: `*${q}*` })), ...(await listed({ query: q }))];
  const tools = [...new Map(both.map((tool) => [tool['name'], tool])).values()].slice(0, MOST);
  const runs = (await scope.find(WorkflowRuns)?.list({})) ?? [];
  const values = (await scope.find(ConfigOrigins)?.read()) ?? [];
  return {
    Servers: fitting(
      services.map((one) => {
        const { state, error = '' } = one.status();
        const what = [state, one.description?.() ?? '', error].filter((part) => part !== '').join(' · ');
        return { name: one.name, path: `/mcps/${inPath(one.name)}`, what };
      }),
    ),
    Tools: tools.map(({ name, summary }) => ({
      name: String(name),
      path: `/tools/${inPath(String(name))}`,
      what: typeof summary === 'string' ? summary : '',
    })),
    Workflows: fitting(
      scope
        .get(ConfigControl)
        .resources('Workflow')
        .map(({ name }) => ({ name, path: `/workflows/${inPath(name)}`, what: 'workflow' })),
    ),
    Runs: fitting(
      runs.map(({ execution_id: id, workflow_name: name, status, started_at, error = '' }) => ({
        name: id,
        path: `/runs/${inPath(id)}`,
        what: `${name} ${status} ${started_at} ${error}`,
      })),
    ),
    Sessions: fitting(
      sessionsIn(scope).map((seen) => {
        const session = sessionFacts(seen, []);
        const what = `${whoIn(session)} · ${clientIn(session) ?? session.transport}`;
        return { name: session.id, path: `/sessions/${inPath(session.id)}`, what };
      }),
    ),
    Settings: fitting(
      values.map(({ path, value }) => ({
        name: path.join('.'),
        path: '/config',
        what: JSON.stringify(value),
      })),
    ),
  };
}
