import { join } from 'node:path';
import { StateDirectory } from 'pegboard';
import type { Scope } from 'pegboard';
import { AdminPage } from '../contracts/adminPages.ts';
import { CallHistory } from '../contracts/callHistory.ts';
import { CallReader } from './callReader.ts';
import { callPage } from './callPage.ts';
import { callsPage } from './callsPage.ts';
import type { CallHistoryConfig } from './config.ts';
import { History } from './history.ts';
import { KeptCalls } from './keptCalls.ts';
import { Segments } from './segments.ts';

const FOLDER = 'calls';

export function apply(scope: Scope<CallHistoryConfig>): void {
  let current = scope.config;
  const state = scope.find(StateDirectory)?.path;
  const segments = new Segments(state && join(state, FOLDER), () => current, scope.log);
  const reader = new CallReader(scope, () => current);
  const history = new History(reader, segments, scope.log);
  const calls = new KeptCalls(history, segments, () => current);
  scope.tap('onEvent', (event) => history.take(event));
  scope.provide(CallHistory, calls);
  scope.provide(
    AdminPage,
    callsPage(calls, () => current),
  );
  scope.provide(
    AdminPage,
    callPage(calls, () => current),
  );
  scope.onStart(() => history.start());
  scope.onReload((next) => {
    current = next;
  });
  scope.onStop(() => history.stop());
}
