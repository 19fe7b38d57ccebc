import type { Scope } from 'pegboard';
import { html } from '../../kit/http/page.ts';
import type { Html } from '../../kit/http/page.ts';
import { serverFacts, serversIn, toolCounts } from '../data/servers.ts';
import type { ListedServer } from '../data/servers.ts';
import { definePage } from '../web/definePage.ts';
import type { Page } from '../web/definePage.ts';
import { badge, hyperlink, table } from '../../kit/pages/parts.ts';
import { ago, count, counted, inPath, shown } from '../../kit/pages/words.ts';

const ADD = html`<p><a class="button strong" href="/mcps/new">Add a server</a></p>`;

/** `/mcps`: the MCP servers and their states. */
export function serversPage(scope: Scope<unknown>): Page {
  return definePage({
    path: '/mcps',
    nav: 'Servers',
    facts: ({ request }) => {
      const counts = toolCounts(scope, request);
      const servers = serversIn(scope).map(serverFacts);
      return { servers: servers.map((one) => ({ ...one, offered: counts.get(one.name) ?? 0 })) };
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
}

function serverTable(servers: readonly CountedServer[]): Html {
  return table(
    { caption: 'MCP servers', empty: 'No MCP server is defined.' },
    ['Server', 'State', 'Since', 'Tools', 'Last words'],
    servers.map(({ name, state, health, error, metadata, offered }) => [
      hyperlink(`/mcps/${inPath(name)}`, name),
      health === 'unhealthy' && state !== 'failed' ? html`${badge(state)} ${badge(health)}` : badge(state),
      metadata.since === undefined ? undefined : ago(metadata.since),
      html`<span class="number">${count(offered)}</span>`,
      shown(error ?? metadata.progress ?? '', 160),
    ]),
  );
}
