import type { Scope } from 'pegboard';
import { html } from '../../kit/http/page.ts';
import type { Html } from '../../kit/http/page.ts';
import type { OtherWorkers } from '../data/otherWorkers.ts';
import { serverFacts, serversIn, toolCounts } from '../data/servers.ts';
import type { ListedServer } from '../data/servers.ts';
import { definePage } from '../web/definePage.ts';
import type { Page } from '../web/definePage.ts';
import { badge, hyperlink, table } from '../../kit/pages/parts.ts';
import { ago, count, counted, inPath, shown } from '../../kit/pages/words.ts';

const ADD = html`<p><a class="button strong" href="/mcps/new">Add a server</a></p>`;

/** `/mcps`: the MCP servers and their states. */
export function serversPage(scope: Scope<unknown>, others: OtherWorkers): Page {
  return definePage({
    path: '/mcps',
    nav: 'Servers',
    facts: async ({ request }) => {
      const counts = toolCounts(scope, request);
      const servers = serversIn(scope).map(serverFacts);
      const workers = await others.facts();
      const statesOf = (name: string): readonly WorkerState[] =>
        workers.flatMap(({ worker, servers: { [name]: state } }) =>
          state === undefined ? [] : [{ worker, state }],
        );
      return {
        servers: servers.map((one) => {
          const states = statesOf(one.name);
          const offered = counts.get(one.name) ?? 0;
          return { ...one, offered, ...(states.length > 0 && { workers: states }) };
        }),
      };
    },
    show: ({ servers }, { lacks }) => ({
      title: counted(servers.length, 'server'),
      body: html`${lacks('/mcps') === undefined ? ADD : undefined}${serverTable(servers)}`,
    }),
  });
}

/** A server with the number of tools that its page lists. */
interface CountedServer extends ListedServer {
  readonly offered: number;
  /** Its state at the other workers, if there are any. */
  readonly workers?: readonly WorkerState[];
}
interface WorkerState {
  readonly worker: number;
  readonly state: string;
}

function serverTable(servers: readonly CountedServer[]): Html {
  return table(
    { caption: 'MCP servers', empty: 'No MCP server is defined.' },
    ['Server', 'State', 'Since', 'Tools', 'Last words'],
    servers.map(({ name, state, health, error, metadata, offered, workers = [] }) => [
      hyperlink(`/mcps/${inPath(name)}`, name),
      html`${badge(state)}${health === 'unhealthy' && state !== 'failed' ? html` ${badge(health)}` : undefined}${workers
        .filter((one) => one.state !== state)
        .map((one) => html` <span class="quiet">worker ${String(one.worker)}:</span> ${badge(one.state)}`)}`,
      metadata.since === undefined ? undefined : ago(metadata.since),
      html`<span class="number">${count(offered)}</span>`,
      shown(error ?? metadata.progress ?? '', 160),
    ]),
  );
}
