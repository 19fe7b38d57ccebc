import type { JsonObject, Scope } from 'pegboard';
import { html } from '../../kit/http/page.ts';
import type { Html } from '../../kit/http/page.ts';
import type { Minutes } from '../data/minutes.ts';
import { excerpt } from '../../kit/pages/excerpt.ts';
import type { Excerpt } from '../../kit/pages/excerpt.ts';
import type { StateHistory, PastState } from '../data/stateHistory.ts';
import { keptBackOf, ownName, serverFacts, serverNamed, tokensOf, toolsOf } from '../data/servers.ts';
import type { KeptBack, ListedServer } from '../data/servers.ts';
import { standardErrorOf } from '../data/standardError.ts';
import type { StandardErrorFacts } from '../data/standardError.ts';
import { actionForm } from '../../kit/pages/actionForm.ts';
import { callButtons, callsAt } from '../web/callLinks.ts';
import { toolSwitch } from '../web/toolSwitch.ts';
import { definePage } from '../web/definePage.ts';
import type { Page, Visit } from '../web/definePage.ts';
import { pager } from '../../kit/pages/pager.ts';
import { badge, facts, hyperlink, output, section, table } from '../../kit/pages/parts.ts';
import { callFigures, callTimes } from './callChart.ts';
import type { CallTimes } from './callChart.ts';
import { ago, block, count, counted, inPath, shown } from '../../kit/pages/words.ts';

const MAX_STANDARD_ERROR_CHARS = 200_000;

interface ToolFacts {
  readonly name: string;
  readonly own: string;
  readonly description: string;
  readonly tokens: number;
  readonly inputSchema: JsonObject;
}
interface ServerPageFacts extends ListedServer {
  readonly history: readonly PastState[];
  readonly calls: CallTimes;
  readonly tokens: number;
  readonly tools: Excerpt<ToolFacts>;
  /** Those of it that no client is offered. */
  readonly keptBack: readonly KeptBack[];
  /** Last standard error of the process that the operator's calls reach; absent for remote servers. */
  readonly standardError?: StandardErrorFacts;
}

/** `/mcps/<name>`: one MCP server. */
export function serverPage(scope: Scope<unknown>, history: StateHistory, minutes: Minutes): Page {
  return definePage<ServerPageFacts>({
    path: '/mcps/:name',
    facts: ({ params: { name = '' }, query, request }) => {
      const service = serverNamed(scope, name);
      const server = serverFacts(service);
      const standardError = standardErrorOf(service, request);
      const tools = toolsOf(scope, server.name, request);
      const part = excerpt(tools, query);
      return {
        ...server,
        history: history.of(server.name),
        calls: callTimes(minutes.series(server.name), query),
        ...(standardError !== undefined && { standardError }),
        keptBack: keptBackOf(scope, server.name, request),
        tokens: tools.reduce((sum, tool) => sum + tokensOf(tool), 0),
        tools: {
          ...part,
          items: part.items.map((tool) => ({
            name: tool.name,
            own: ownName(tool),
            description: tool.description,
            tokens: tokensOf(tool),
            inputSchema: tool.inputSchema,
          })),
        },
      };
    },
    show: (server, visit) => ({
      title: shown(server.name),
      body: html`${stateSection(server, visit, callButtons(scope, { server: server.name }))}${section(
        'Calls',
        callFigures(`/mcps/${inPath(server.name)}`, server.calls, shown(server.name), (query) =>
          callsAt(scope, { server: server.name, ...query }),
        ),
        undefined,
        'calls',
      )}${server.standardError && standardErrorSection(server.name, server.standardError)}
      ${toolSection(server, visit)}${keptBackSection(server, visit)}${historySection(server)}`,
    }),
  });
}

function stateSection(
  { name, state, health, error, metadata }: ServerPageFacts,
  visit: Visit,
  calls: Html | undefined,
): Html {
  const text = (key: string, most = 300): string | undefined => {
    const value = metadata[key];
    if (value === undefined || value === false) return undefined;
    if (Array.isArray(value) && value.every((one) => typeof one === 'string'))
      return shown(value.join(' '), most);
    return shown(typeof value === 'string' ? value : JSON.stringify(value), most);
  };
  const time = (at: string | undefined): Html | undefined => (at === undefined ? undefined : ago(at));
  const body = html`${error === undefined ? undefined : html`<p class="fault">${shown(error, 1_000)}</p>`}
    ${facts([
      ['Health', badge(health)],
      ['Under way', text('progress')],
      ['In this state since', time(metadata.since)],
      ['Type', text('type')],
      ['Transport', text('transport')],
      ['Command', text('command')],
      ['Confinement', text('confinement', 4_000)],
      ['URL', text('url')],
      ['Description', text('description')],
      ['Starts with Pegboard', metadata.autoStart === true ? 'yes' : 'no'],
      ['Instances', text('instances')],
      ['Tool prefix', text('toolPrefix')],
      ['Family', text('family')],
      ['Server', [text('serverName'), text('serverVersion')].filter(Boolean).join(' ')],
      ['Revision of MCP', text('protocolVersion')],
      ['Last attempt', time(metadata.lastAttempt)],
      ['Next attempt', time(metadata.nextRetryAfter)],
      ['Failures in a row', metadata.consecutiveFailures === 0 ? undefined : text('consecutiveFailures')],
      ['Last error', metadata.lastError === error ? undefined : text('lastError')],
      ['Last restart', time(metadata.lastRestartedAt)],
      ['Recommended', text('recommended')],
      ['Left out tools', text('malformedTools')],
      ['Lists read in part', text('partialLists')],
      ['Malformed entries', text('malformedEntries')],
      ['Names taken by others', text('collisions')],
      ['Entries with names taken by others', text('takenEntries')],
    ])}
    <div class="row actions">
      ${operations({ name, state, metadata }, visit)}
      <a class="button" href="/mcps/${inPath(name)}/edit"
        >${visit.lacks(`/mcps/${inPath(name)}/write`) === undefined ? 'Edit' : 'Definition'}</a
      >
      ${visit.lacks('/toolsets/write') === undefined ? html`<a class="button" href="/toolsets?add=${inPath(name)}">Make a toolset of it…</a>` : ''}
      ${calls}
    </div>`;
  return section('State', body, badge(state));
}

/** The buttons that make sense in its state. */
function operations(
  { name, state, metadata }: Pick<ListedServer, 'name' | 'state' | 'metadata'>,
  visit: Visit,
): readonly Html[] {
  const isDown = state === 'stopped' || metadata.suspended === true;
  const isRemote = metadata.type !== 'stdio';
  const button = (operation: string, label: string, warning?: string): Html =>
    actionForm(visit, {
      action: `/mcps/${inPath(name)}/${operation}`,
      label,
      about: shown(name),
      ...(warning !== undefined && { warning }),
    });
  if (isDown) return [button('start', 'Start')];
  const stop = 'Its tools disappear for everyone, and it stays stopped until someone starts it.';
  const restart = 'Calls that run at this server now end with an error.';
  return [
    ...(isRemote ? [button('restart', 'Reconnect', restart)] : [button('restart', 'Restart', restart)]),
    button('stop', 'Stop', stop),
  ];
}

function toolSection({ name: server, tools, tokens }: ServerPageFacts, visit: Visit): Html {
  const { query } = visit;
  const list = tools.items.map(
    ({ name, own, description, tokens: each, inputSchema }) =>
      html`<details class="item" data-keep="tool ${name}">
        <summary><code>${shown(name)}</code> <span class="quiet">${counted(each, 'token')}</span></summary>
        <p>${shown(description, 2_000)}</p>
        <pre tabindex="0" role="region" aria-label="Input schema of ${shown(name)}">
${block(JSON.stringify(inputSchema, null, 2))}</pre>
        ${toolSwitch(visit, { server, own, isOn: true })}
      </details>`,
  );
  const none = html`<p class="empty">No tool of it is known.</p>`;
  return section(
    counted(tools.total, 'tool'),
    html`${tools.total === 0 ? none : list}${pager(tools, query)}`,
    tools.total === 0 ? undefined : `about ${count(tokens)} tokens if an agent read them all`,
  );
}

function keptBackSection({ name: server, keptBack }: ServerPageFacts, visit: Visit): Html | undefined {
  if (keptBack.length === 0) return undefined;
  const items = keptBack.map(
    ({ name, own, reason, isSwitchedOff }) =>
      html`<div class="item">
        <p><code>${shown(name)}</code> ${badge('denied')}</p>
        <p class="quiet">${shown(reason, 400)}</p>
        ${isSwitchedOff ? toolSwitch(visit, { server, own, isOn: false }) : undefined}
      </div>`,
  );
  return section(`${counted(keptBack.length, 'tool')} that no client is offered`, items);
}

function historySection({ history, metadata }: ServerPageFacts): Html {
  // The word that lists and the command line have for it.
  const up = metadata.type === 'stdio' ? 'running' : 'connected';
  return section(
    'Last states',
    table(
      { caption: 'Last states', empty: 'It has not changed since these pages were switched on.' },
      ['When', 'State', 'Health', 'Why'],
      history.map(({ at, state, health, error }) => [
        ago(at),
        badge(state === 'ready' ? up : state),
        badge(health),
        error === undefined ? undefined : shown(error, 300),
      ]),
    ),
  );
}

/** The last lines of a process, the newest at the end. */
function standardErrorSection(name: string, { instance, lines }: StandardErrorFacts): Html {
  const text = lines
    .map((line) => `${line.time}  ${'started' in line ? '(a process was started)' : line.text}`)
    .join('\n');
  const whose = instance === undefined ? undefined : html`<p class="quiet">${shown(instance)}</p>`;
  const body =
    lines.length === 0
      ? html`<p class="empty">Nothing is kept of it.</p>`
      : output(`Standard error of ${shown(name)}`, block(text, MAX_STANDARD_ERROR_CHARS));
  return section(
    'Standard error',
    html`${whose}${body}`,
    hyperlink(`/mcps/${inPath(name)}/logs`, counted(lines.length, 'line')),
  );
}
