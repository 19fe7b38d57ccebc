import { ConfigControl, DecisionLayer, definePlugin, readSchema } from 'pegboard';
import { AdminPage } from '../contracts/adminPages.ts';
import { MetricSource } from '../contracts/metrics.ts';
import { AcceptedDeclarations, ServerDeclarations } from '../contracts/pins.ts';
import { Channel } from '../contracts/processes.ts';
import { Vault } from '../contracts/vault.ts';
import { apply } from './apply.ts';
import type { PinsConfig } from './config.ts';

export { declaredOf } from './declaredOf.ts';
export { fingerprint } from './fingerprint.ts';
export { RULES, suspicionsOf } from './suspicions.ts';
export type { Suspicion } from './suspicions.ts';

/** Holds what servers declare to what was accepted of it. */
export const plugin = definePlugin<PinsConfig>({
  name: 'pins',
  api: 1,
  keeps: 'what is accepted of the declarations of servers',
  configSchema: readSchema('config/pins'),
  guards: true,
  requires: [ConfigControl],
  uses: [Vault, Channel],
  asks: [ServerDeclarations],
  provides: [AcceptedDeclarations, AdminPage, DecisionLayer, MetricSource],
  apply,
});
