import { ConfigControl, definePlugin, readSchema, whenConfigured } from 'pegboard';
import { Vault } from '../contracts/vault.ts';
import type { AuditConfig } from './config.ts';

/** Records who called what, in files that reveal later changes. */
export const plugin = definePlugin<AuditConfig>({
  name: 'audit',
  api: 1,
  configSchema: readSchema('config/audit'),
  enabled: whenConfigured('audit'),
  requires: [ConfigControl, Vault],
  review: async (facts) => (await import('./trailFindings.ts')).trailFindings(facts),
  apply: async (scope) => (await import('./apply.ts')).apply(scope),
});
