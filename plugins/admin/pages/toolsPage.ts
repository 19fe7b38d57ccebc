import { isObject } from 'pegboard';
import type { JsonObject, Scope } from 'pegboard';
import { html } from '../../kit/http/page.ts';
import type { Html } from '../../kit/http/page.ts';
import { answerOf } from '../data/answerOf.ts';
import { PAGE, excerpt, firstOf } from '../../kit/pages/excerpt.ts';
import type { Excerpt } from '../../kit/pages/excerpt.ts';
import { runTool } from '../data/runTool.ts';
import { serversIn } from '../data/servers.ts';
import { asked, choicesOf, filterForm } from '../../kit/pages/filterForm.ts';
import { definePage } from '../web/definePage.ts';
import type { Page, Visit } from '../web/definePage.ts';
import { pager } from '../../kit/pages/pager.ts';
import { hyperlink, section, table } from '../../kit/pages/parts.ts';
import { counted, inPath, shown } from '../../kit/pages/words.ts';

/** Most tools in one answer of filter_tools, which ends a page earlier if it gets too long. */
const MOST = 1_000;

interface ToolsFacts {
  /** As filter_tools gives them; `score` only with a query. */
  readonly tools: Excerpt<JsonObject>;
  /** Advice if nothing fits well. */
  readonly hint?: string;
  readonly servers: readonly string[];
}

/** `/tools?query=&pattern=&server=&kind=`: what filter_tools finds. */
export function toolsPage(scope: Scope<unknown>): Page {
  return definePage<ToolsFacts>({
    path: '/tools',
    nav: 'Tools',
    facts: async (visit) => ({
      ...(await found(scope, visit)),
      servers: serversIn(scope).map(({ name }) => name),
    }),
    show: ({ tools, hint, servers }, { query }) => ({
      title: counted(tools.total, 'tool'),
      body: html`${filterForm(
        [
          { name: 'query', label: 'What it should do', example: 'create a pull request' },
          { name: 'pattern', label: 'Name', example: '*issue*' },
          { name: 'server', label: 'Server', choices: choicesOf(servers, asked(query, 'server')) },
          { name: 'kind', label: 'Kind', choices: KINDS },
        ],
        query,
        'Search',
      )}
      ${hint === undefined ? undefined : html`<p class="quiet">${shown(hint, 300)}</p>`}
      ${asked(query, 'query') === '' ? toolGroups(tools.items) : toolTable(tools.items, true)}${pager(tools, query)}`,
    }),
  });
}

const KINDS = [
  ['', 'all'],
  ['tool', 'of servers'],
  ['workflow', 'workflows'],
  ['core', 'core tools'],
] as const;

async function found(scope: Scope<unknown>, { query, request }: Visit): Promise<Omit<ToolsFacts, 'servers'>> {
  const server = asked(query, 'server');
  const kind = asked(query, 'kind');
  const args = {
    query: asked(query, 'query'),
    pattern: asked(query, 'pattern'),
    ...(server !== '' && { toolset: [`server:${server}`] }),
  };
  const ask = async (offset: number, limit: number): Promise<JsonObject> =>
    answerOf(await runTool(scope, 'filter_tools', { ...args, offset, limit }, request));
  if (kind === '') {
    const answer = await ask(firstOf(query), PAGE);
    const tools = { total: Number(answer['total']), from: firstOf(query), items: entriesIn(answer) };
    // Beyond the end: the last page instead of an empty one.
    if (tools.items.length > 0 || tools.total === 0) return { tools, ...hintIn(answer) };
  }
  // filter_tools has no argument for the kind.
  const all: JsonObject[] = [];
  for (;;) {
    const answer = await ask(all.length, MOST);
    const entries = entriesIn(answer);
    all.push(...entries);
    if (answer['truncated'] !== true || entries.length === 0)
      return {
        tools: excerpt(kind === '' ? all : all.filter((one) => one['kind'] === kind), query),
        ...hintIn(answer),
      };
  }
}

function entriesIn({ tools }: JsonObject): readonly JsonObject[] {
  return Array.isArray(tools) ? tools.filter(isObject) : [];
}

function hintIn({ hint }: JsonObject): { readonly hint?: string } {
  return typeof hint === 'string' ? { hint } : {};
}

/** A table for each server, and for each other kind. */
function toolGroups(tools: readonly JsonObject[]): Html {
  const groups = new Map<string, JsonObject[]>();
  for (const tool of tools) {
    const { server, kind } = tool;
    const name = typeof server === 'string' ? `Server ${server}` : GROUPS[String(kind)];
    const title = name ?? String(kind);
    groups.set(title, [...(groups.get(title) ?? []), tool]);
  }
  if (groups.size === 0) return toolTable([], false);
  return html`${[...groups].map(([title, list]) => section(shown(title), toolTable(list, false), counted(list.length, 'tool')))}`;
}

const GROUPS: Readonly<Record<string, string>> = { core: 'Core tools', workflow: 'Workflows' };

function toolTable(tools: readonly JsonObject[], isRanked: boolean): Html {
  const heads = ['Tool', ...(isRanked ? ['Score'] : []), 'Server', 'Does', 'Effect'];
  return table(
    { caption: 'Tools', empty: 'No tool fits.' },
    heads,
    tools.map(({ name, server, kind, summary, score, annotations }) => [
      hyperlink(`/tools/${inPath(String(name))}`, String(name)),
      ...(isRanked
        ? [html`<span class="number">${typeof score === 'number' ? score.toFixed(2) : '–'}</span>`]
        : []),
      typeof server === 'string'
        ? hyperlink(`/mcps/${inPath(server)}`, server)
        : html`<span class="quiet">${String(kind)}</span>`,
      typeof summary === 'string' ? shown(summary, 200) : undefined,
      isObject(annotations) && annotations['readOnlyHint'] === true
        ? 'reads'
        : html`<span class="badge care">may change</span>`,
    ]),
  );
}
