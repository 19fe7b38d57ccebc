/** Runs as a process of its own, to be killed: writes into a vault without end, and reports each write before
 *  and after it. Arguments: the vault's module, the state directory, a seed. */
import { writeSync } from 'node:fs';
import type { OpeningVault as Vault } from '../../../plugins/vault-file/openingVault.ts';
import type { VaultFileConfig } from '../../../plugins/vault-file/config.ts';

const [modulePath = '', state = '', seed = '1'] = process.argv.slice(2);
const { OpeningVault } = (await import(modulePath)) as { OpeningVault: typeof Vault };
const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: console.error };
const config: VaultFileConfig = {
  maxEntries: 1000,
  maxBytes: 1e9,
  maxValueBytes: 1e6,
  maxPendingBytes: 1e8,
  maxBatchBytes: 20_000,
  compactGarbageBytes: 60_000,
  sweepMs: 60_000,
  lockWaitMs: 5000,
  lockPollMs: 10,
  lockStaleMs: 30_000,
};
const vault = new OpeningVault(
  () => state,
  () => config,
  {
    ...quiet,
    child: () => ({
      ...quiet,
      child: () => {
        throw new Error('unused');
      },
    }),
  },
);
await vault.begin();

let random = Number(seed);
const upTo = (limit: number): number => {
  random = (random * 1_103_515_245 + 12_345) % 2_147_483_648;
  return Math.floor((random / 2_147_483_648) * limit);
};
// Synchronous, so that no report is lost when the process is killed.
const say = (...words: readonly (string | number)[]): void => void writeSync(1, `${words.join(' ')}\n`);

for (let id = 0; ; id += 8) {
  const burst = Array.from({ length: 8 }, async (_, at) => {
    const mine = id + at;
    const [key, kind] = [`key:${upTo(30)}`, upTo(4)];
    const size = kind === 0 ? 0 : upTo(kind === 1 ? 5000 : 200);
    say('begin', mine, key, kind === 0 ? 'none' : size);
    await (kind === 0 ? vault.take(key) : vault.set(key, `${seed}:${mine} ${'x'.repeat(size)}`));
    say('done', mine, key);
  });
  await Promise.all(burst);
}
