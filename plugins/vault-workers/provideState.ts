import { randomUUID } from 'node:crypto';
import type { Scope } from 'pegboard';
import { Channel, Peers, Quotas, WorkerLine } from '../contracts/processes.ts';
import { Vault } from '../contracts/vault.ts';
import type { Draw, Drawn, Quota } from '../contracts/processes.ts';
import type { VaultWrite } from '../kit/vault/jsonVault.ts';
import { AskedVault } from './askedVault.ts';
import { LineChannel } from './lineChannel.ts';
import { LocalQuotas } from './localQuotas.ts';

/** One per process, so that a restart of the plugin does not make this process another one. */
const OWN = randomUUID();

/** The first process answers from its vault, and counts; a worker asks. */
export function provideState(scope: Scope<unknown>): void {
  let last: WorkerLine | undefined;
  // The plugin workers is an edge and stops before those whose calls still end: they go on asking.
  const line = (): WorkerLine => (last = scope.find(WorkerLine) ?? last ?? scope.get(WorkerLine));
  const channel = new LineChannel(line);
  scope.provide(Channel, channel);
  if (process.env['PEGBOARD_WORKER'] === undefined) keepState(scope, line);
  else askForState(scope, line);
  let leave: (() => void) | undefined;
  scope.onStart(async () => {
    leave = line().hear((message) => channel.hear(message));
    await line().ask('hello', OWN);
    // What was told before this process began is in the vault.
    channel.tellGap();
  });
  scope.onStop(() => leave?.());
}

function keepState(scope: Scope<unknown>, line: () => WorkerLine): void {
  const ids = new Map<number, string>();
  const quotas = new LocalQuotas();
  const isAlive = (id: string): boolean =>
    id === OWN ||
    line()
      .living()
      .some((number) => ids.get(number) === id);
  scope.provide(Peers, { own: OWN, isAlive: (id) => Promise.resolve(isAlive(id)) });
  scope.provide(Quotas, {
    areLocal: true,
    draw: (name, quota, draw) => Promise.resolve(quotas.draw(OWN, name, quota, draw)),
  });
  let ends: readonly (() => void)[] = [];
  scope.onStart(() => {
    ends = [
      line().answer('hello', (id, from) => void ids.set(from, String(id))),
      line().answer('alive', (id) => isAlive(String(id))),
      line().answer('draw', (drawn, from) => {
        const { name, quota, draw } = drawn as { name: string; quota: Quota; draw: Draw };
        return quotas.draw(ids.get(from) ?? String(from), name, quota, draw);
      }),
      line().answer('get', (key) => scope.get(Vault).get(String(key))),
      line().answer('take', (key) => scope.get(Vault).take(String(key))),
      line().answer('delete', (key) => scope.get(Vault).delete(String(key))),
      line().answer('list', (prefix) => scope.get(Vault).list(String(prefix))),
      line().answer('write', (write) => written(scope.get(Vault), write as VaultWrite)),
    ];
  });
  scope.onStop(() => {
    for (const end of ends) end();
  });
}

async function written(vault: Vault, { key, json, ttlSeconds, expected }: VaultWrite): Promise<boolean> {
  const value: unknown = JSON.parse(json);
  if (expected === null) return vault.putIfAbsent(key, value, ttlSeconds);
  if (expected !== undefined)
    return vault.compareAndSwap(key, JSON.parse(expected) as unknown, value, ttlSeconds);
  await vault.set(key, value, ttlSeconds);
  return true;
}

function askForState(scope: Scope<unknown>, line: () => WorkerLine): void {
  scope.provide(Vault, new AskedVault((topic, question) => line().ask(topic, question)));
  scope.provide(Peers, {
    own: OWN,
    isAlive: async (id) => id === OWN || (await line().ask('alive', id)) === true,
  });
  scope.provide(Quotas, {
    areLocal: true,
    draw: async (name, quota, draw) => (await line().ask('draw', { name, quota, draw })) as Drawn,
  });
}
