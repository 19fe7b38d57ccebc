import { ConfigControl, ToolTable, definePlugin, readSchema, whenConfigured } from 'pegboard';
import { CallSecrets } from '../contracts/secrets.ts';
import type { RecordConfig } from './config.ts';
import { cassetteFindings } from './cassetteFindings.ts';

/** Records servers' answers on cassettes that `pegboard-replay` serves in their place. Runs only if it is configured. */
export const plugin = definePlugin<RecordConfig>({
  name: 'cassettes',
  api: 1,
  configSchema: readSchema('config/cassettes'),
  enabled: whenConfigured('cassettes'),
  requires: [ConfigControl, ToolTable],
  uses: [CallSecrets],
  check: cassetteFindings,
  apply: async (scope) => (await import('./apply.ts')).apply(scope),
});
