import type { Scope } from 'pegboard';
import type { History } from './data/history.ts';
import { overviewPage } from './pages/overviewPage.ts';
import { serverPage } from './pages/serverPage.ts';
import { serverActions } from './pages/serverActions.ts';
import { serversPage } from './pages/serversPage.ts';
import type { Action, Page } from './web/page.ts';

export interface PageParts {
  readonly scope: Scope<unknown>;
  readonly history: History;
}

/** All pages, in the order of the navigation, and all actions. A new one is a line here and a file in pages/. */
export function pagesOf({ scope, history }: PageParts): {
  readonly pages: readonly Page[];
  readonly actions: readonly Action[];
} {
  return {
    pages: [overviewPage(scope), serversPage(scope), serverPage(scope, history)],
    actions: [...serverActions(scope)],
  };
}
