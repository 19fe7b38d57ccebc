import { isObject } from 'pegboard';
import type { JsonObject, Scope } from 'pegboard';
import { html } from '../../kit/http/page.ts';
import type { Html } from '../../kit/http/page.ts';
import { answerOf } from '../data/answerOf.ts';
import { PAGE, firstOf } from '../../kit/pages/excerpt.ts';
import type { Excerpt } from '../../kit/pages/excerpt.ts';
import { runTool } from '../data/runTool.ts';
import { serversIn } from '../data/servers.ts';
import { asked, filterForm } from '../../kit/pages/filterForm.ts';
import { definePage } from '../web/definePage.ts';
import type { Page } from '../web/definePage.ts';
import { pager } from '../../kit/pages/pager.ts';
import { badge, hyperlink, table } from '../../kit/pages/parts.ts';
import { ago, counted, inPath, shown } from '../../kit/pages/words.ts';

interface EventsFacts {
  /** As core_events gives them, newest first. */
  readonly events: Excerpt<JsonObject>;
  readonly servers: readonly string[];
}

/** Names of query parameters, by the argument of core_events that each sets. */
const ARGUMENTS = {
  resourceType: 'kind',
  resourceName: 'name',
  eventType: 'severity',
  reason: 'type',
  since: 'since',
  until: 'until',
};

/** `/events?kind=&name=&type=&severity=&since=&until=`: what happened to servers and workflows. */
export function eventsPage(scope: Scope<unknown>): Page {
  return definePage<EventsFacts>({
    path: '/events',
    nav: 'Events',
    facts: async ({ query, request }) => {
      const given = Object.entries(ARGUMENTS).map(
        ([argument, name]) => [argument, asked(query, name)] as const,
      );
      const args = { ...Object.fromEntries<unknown>(given), limit: PAGE, offset: firstOf(query) };
      const { events, total } = answerOf(await runTool(scope, 'core_events', args, request));
      const items = Array.isArray(events) ? events.filter(isObject) : [];
      return {
        events: { total: Number(total), from: firstOf(query), items },
        servers: serversIn(scope).map(({ name }) => name),
      };
    },
    show: ({ events, servers }, { query }) => ({
      title: counted(events.total, 'event'),
      body: html`${filterForm(
        [
          { name: 'kind', label: 'Of', choices: KINDS },
          { name: 'name', label: 'Name', known: servers },
          { name: 'type', label: 'Type', example: 'MCPServerFailed' },
          { name: 'severity', label: 'Severity', choices: SEVERITIES },
          { name: 'since', label: 'Since', example: '1h30m or 2026-01-31' },
          { name: 'until', label: 'Until', example: '5m or 2026-01-31' },
        ],
        query,
      )}
      ${eventTable(events.items)}${pager(events, query)}`,
    }),
  });
}

const KINDS = [
  ['', 'all'],
  ['MCPServer', 'servers'],
  ['Workflow', 'workflows'],
] as const;
const SEVERITIES = [
  ['', 'all'],
  ['Normal', 'normal'],
  ['Warning', 'warnings'],
] as const;

function eventTable(events: readonly JsonObject[]): Html {
  return table(
    { caption: 'Events', empty: 'Nothing like that has happened.' },
    ['When', 'Of', 'Type', 'What happened'],
    events.map(({ timestamp, type, reason, message, resource_type: kind, resource_name: name, details }) => [
      ago(String(timestamp)),
      hyperlink(`/${kind === 'Workflow' ? 'workflows' : 'mcps'}/${inPath(String(name))}`, String(name)),
      html`${badge(type === 'Warning' ? 'warning' : 'normal')} ${shown(String(reason))}`,
      html`${shown(String(message), 500)}${runLink(details)}`,
    ]),
  );
}

function runLink(details: unknown): Html | undefined {
  const id = isObject(details) ? details['execution_id'] : undefined;
  return typeof id === 'string' ? html` ${hyperlink(`/runs/${inPath(id)}`, 'run')}` : undefined;
}
