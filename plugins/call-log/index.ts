import { definePlugin, readSchema } from 'pegboard';
import { CallLog } from './callLog.ts';
import type { CallLogConfig } from './config.ts';

/** Slow calls in the log; every call at the level debug. */
export const plugin = definePlugin<CallLogConfig>({
  name: 'call-log',
  api: 1,
  configSchema: readSchema('config/call-log'),
  apply(scope) {
    let current = scope.config;
    const calls = new CallLog(scope.log, () => current);
    scope.tap('onEvent', (event) => {
      if (event.type === 'call.settled') calls.settled(event);
      if (event.type === 'call.refused') calls.refused(event);
    });
    scope.onReload((next) => {
      current = next;
    });
  },
});
