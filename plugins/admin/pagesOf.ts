import type { Scope } from 'pegboard';
import type { CallsUnderWay } from './data/callsUnderWay.ts';
import type { StateHistory } from './data/stateHistory.ts';
import { configActions } from './pages/configActions.ts';
import { configPage } from './pages/configPage.ts';
import { connectPage } from './pages/connectPage.ts';
import { editActions } from './pages/editActions.ts';
import { editPage } from './pages/editPage.ts';
import type { Minutes } from './data/minutes.ts';
import type { OtherWorkers } from './data/otherWorkers.ts';
import type { Persons } from './data/persons.ts';
import { explainPage } from './pages/explainPage.ts';
import { grantActions } from './pages/grantActions.ts';
import { grantsPage } from './pages/grantsPage.ts';
import { eventsPage } from './pages/eventsPage.ts';
import type { GatewayLog } from './data/gatewayLog.ts';
import { logPages } from './pages/logPages.ts';
import { newServerActions } from './pages/newServerActions.ts';
import { newServerPage } from './pages/newServerPage.ts';
import { overviewPage } from './pages/overviewPage.ts';
import { runActions } from './pages/runActions.ts';
import { runPage } from './pages/runPage.ts';
import { runsPage } from './pages/runsPage.ts';
import { searchPage } from './pages/searchPage.ts';
import { serverPage } from './pages/serverPage.ts';
import { serverActions } from './pages/serverActions.ts';
import { serversPage } from './pages/serversPage.ts';
import { sessionActions } from './pages/sessionActions.ts';
import { sessionPage } from './pages/sessionPage.ts';
import { sessionsPage } from './pages/sessionsPage.ts';
import { signInActions } from './pages/signInActions.ts';
import { signInsPage } from './pages/signInsPage.ts';
import { toolActions } from './pages/toolActions.ts';
import { toolPage } from './pages/toolPage.ts';
import { toolsPage } from './pages/toolsPage.ts';
import { toolsetActions } from './pages/toolsetActions.ts';
import { toolsetsPage } from './pages/toolsetsPage.ts';
import { workflowPage } from './pages/workflowPage.ts';
import { workflowsPage } from './pages/workflowsPage.ts';
import type { Action, Page } from './web/definePage.ts';

export interface PageParts {
  readonly scope: Scope<unknown>;
  readonly history: StateHistory;
  readonly calls: CallsUnderWay;
  readonly minutes: Minutes;
  readonly persons: Persons;
  readonly log: GatewayLog;
  readonly others: OtherWorkers;
}

/** All pages, in the order of the navigation, and all actions. A new one is a line here and a file in pages/. */
export function pagesOf(parts: PageParts): {
  readonly pages: readonly Page[];
  readonly actions: readonly Action[];
} {
  const { scope, history, calls, minutes, persons, log, others } = parts;
  return {
    pages: [
      overviewPage(scope, calls, minutes),
      sessionsPage(scope, calls, others),
      sessionPage(scope, calls),
      serversPage(scope, others),
      newServerPage(),
      serverPage(scope, history, minutes),
      editPage(scope),
      toolsPage(scope),
      toolPage(scope),
      connectPage(scope),
      toolsetsPage({ scope, persons }),
      explainPage(scope, persons),
      workflowsPage(scope),
      workflowPage(scope),
      runsPage(scope),
      runPage(scope),
      eventsPage(scope),
      ...logPages(scope, log),
      signInsPage(scope),
      grantsPage(scope),
      configPage(scope),
      searchPage(scope),
    ],
    actions: [
      ...serverActions(scope),
      ...newServerActions(scope),
      ...editActions(scope),
      ...sessionActions(scope, calls),
      ...toolActions(scope),
      ...toolsetActions({ scope, persons }),
      ...runActions(scope),
      ...configActions(scope),
      ...signInActions(scope),
      ...grantActions(scope),
    ],
  };
}
