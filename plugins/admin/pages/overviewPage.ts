import type { Scope } from 'pegboard';
import { serverFacts, serversIn } from '../data/servers.ts';
import { page } from '../web/page.ts';
import type { Page } from '../web/page.ts';
import { section } from '../web/parts.ts';
import { serverTable } from './serversPage.ts';

/** `/`: the health of everything. */
export function overviewPage(scope: Scope<unknown>): Page {
  return page({
    path: '/',
    nav: 'Overview',
    facts: () => ({ servers: serversIn(scope).map(serverFacts) }),
    show: ({ servers }) => ({ title: 'Overview', body: section('Servers', serverTable(servers)) }),
  });
}
