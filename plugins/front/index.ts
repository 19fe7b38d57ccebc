import { Front, StateDirectory, definePlugin, readSchema } from 'pegboard';
import type { Scope } from 'pegboard';
import type { FrontConfig } from './config.ts';
import { EndedSessions } from './ended.ts';
import { McpFront } from './front.ts';
import { loadKeys } from './keys.ts';
import { Outlets } from './outlets.ts';
import { Sessions } from './sessions.ts';

/** MCP up to revision 2025-11-25, whatever the transport. */
export const plugin = definePlugin<FrontConfig>({
  name: 'front',
  api: 1,
  configSchema: readSchema('config/front'),
  enabled: ({ aggregator }) => aggregator.enabled,
  provides: [Front],
  apply,
});

function apply(scope: Scope<FrontConfig>): void {
  let sessions: Sessions | undefined;
  const outlets = new Outlets(scope);
  // Opened with the first request: apply() does no I/O, and a request may come before onStart in a restart.
  const openSessions = (): Sessions => {
    if (sessions === undefined) {
      const { path } = scope.get(StateDirectory);
      const ended = new EndedSessions(path, scope.log);
      ended.load(Date.now());
      sessions = new Sessions(loadKeys(path), ended, scope.config);
    }
    return sessions;
  };
  scope.provide(Front, new McpFront(scope, openSessions, outlets));
  scope.tap('onEvent', ({ type }) => {
    if (type.startsWith('server.') || type === 'catalogue.changed') outlets.noticeChange();
  });
  scope.onStart(() => void openSessions());
  // Streams and running calls stay; the next request opens sessions under the new limits.
  scope.onReload(() => void (sessions = undefined));
  scope.onStop(() => outlets.stop());
}
