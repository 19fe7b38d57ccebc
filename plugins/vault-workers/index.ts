import { definePlugin, readSchema } from 'pegboard';
import { Channel, Peers, Quotas, WorkerLine } from '../contracts/processes.ts';
import { Vault } from '../contracts/vault.ts';
import { provideState } from './provideState.ts';

const isWorker = process.env['PEGBOARD_WORKER'] !== undefined;

/** What the workers of one host share where no store does it: they have the vault of the first process. */
export const plugin = definePlugin({
  name: 'vault-workers',
  api: 1,
  configSchema: readSchema('nothing'),
  // The first process says so to a worker, whose own vault is switched off.
  enabled: ({ plugins }) =>
    (!isWorker &&
      typeof plugins['workers'] === 'object' &&
      (plugins['vault-file'] !== false || typeof plugins['vault-memory'] === 'object')) ||
    typeof plugins['vault-workers'] === 'object',
  // Of a worker, the vault is this one.
  uses: isWorker ? [] : [Vault],
  asks: [WorkerLine],
  provides: [Channel, Peers, Quotas, ...(isWorker ? [Vault] : [])],
  apply: provideState,
});
