import { ConfigControl, definePlugin, readSchema } from 'pegboard';
import { AdminPage } from '../contracts/adminPages.ts';
import { CallHistory } from '../contracts/callHistory.ts';
import { CallSecrets } from '../contracts/secrets.ts';
import type { CallHistoryConfig } from './config.ts';

/** The calls of the last day, with what each ended with, on the admin pages. */
export const plugin = definePlugin<CallHistoryConfig>({
  name: 'call-history',
  api: 1,
  keeps: 'the calls of the last day',
  configSchema: readSchema('config/call-history'),
  enabled: ({ aggregator }) =>
    (aggregator['admin'] as { readonly enabled?: unknown } | undefined)?.enabled === true,
  requires: [ConfigControl],
  asks: [CallSecrets],
  provides: [AdminPage, CallHistory],
  apply: async (scope) => (await import('./apply.ts')).apply(scope),
});
