import { expect } from 'chai';
import { GatewayError } from '../../../../kernel/index.ts';
import type { Scope } from '../../../../kernel/index.ts';
import { Vault } from '../../../../plugins/contracts/vault.ts';
import { SharedTable } from '../../../../plugins/kit/vault/sharedTable.ts';
import { MemoryVault } from '../../../../plugins/vault-memory/memoryVault.ts';
import { FakeBus } from '../../../support/fakeBus.ts';
import { captureLog } from '../../../support/log.ts';
import { refusalOf } from '../../../support/kernel.ts';
import { until } from '../../../support/until.ts';

interface Level {
  readonly [member: string]: string;
  readonly level: string;
}

const ALONE = {
  find: () => undefined,
  all: () => [],
  each: () => undefined,
  onStart: (run: () => void) => run(),
};

/** Processes with one vault, whose messages can get lost. */
function createProcesses() {
  let now = 0;
  const limits = () => ({ maxEntries: 100, maxBytes: 100_000, maxValueBytes: 1_000, sweepMs: 1_000 });
  const vault = new MemoryVault(limits, () => now);
  const bus = new FakeBus();
  const state = { isAway: false };
  let started = 0;
  const away = () => Promise.reject(new GatewayError('STORE_UNREACHABLE', 'Redis is away'));
  const reach = new Proxy(vault, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return state.isAway ? away : (member.bind(target) as unknown);
    },
  });
  const process = (isShared = true, max = 10) => {
    const table = new Map<string, string>();
    const held = new Set<string>();
    const scope = {
      log: captureLog(),
      ...(isShared ? bus.scopeOf(`p${(started += 1)}`, new Map([[Vault.id, reach]])) : ALONE),
    } as unknown as Scope<unknown>;
    const shared = new SharedTable<Level>(scope, {
      name: 'level',
      max: () => max,
      added: (key, { level }) => void table.set(key, level),
      removed: (key) => void table.delete(key),
      lease: { isHeld: (key) => held.has(key), ttlSeconds: () => 10 },
    });
    return { table, shared, held };
  };
  return { process, state, bus, vault, pass: (ms: number) => (now += ms) };
}

describe('a shared table', () => {
  it('is the same at all processes, also at one that starts later', async () => {
    const { process } = createProcesses();
    const [a, b] = [process(), process()];
    await a.shared.set('s', { level: 'info' }, 10);
    await b.shared.set('s', { level: 'error' }, 10);
    const c = process();
    const all = () => [a, b, c].map(({ table }) => table.get('s')).join();
    await until(() => all() === 'error,error,error', { what: 'one value' });
    c.shared.delete('s');
    await until(() => all() === ',,', { what: 'the deletion' });
  });

  it('is read again after messages may have been lost', async () => {
    const { process, bus } = createProcesses();
    const [a, b] = [process(), process()];
    await a.shared.set('gone', { level: 'info' }, 10);
    await until(() => b.table.size === 1, { what: 'the first' });
    bus.isDeaf = true;
    await a.shared.set('new', { level: 'info' }, 10);
    a.shared.delete('gone');
    bus.gap();
    await until(() => [...b.table.keys()].join() === 'new', { what: 'the state' });
  });

  it('refuses a change while the store is away, and changes nothing then', async () => {
    const { process, state } = createProcesses();
    const a = process();
    state.isAway = true;
    expect(await refusalOf(() => a.shared.set('s', { level: 'info' }, 10))).include({
      code: 'STORE_UNREACHABLE',
    });
    expect([...a.table]).deep.equal([]);
  });

  it('loses what no process holds any more, and never renews what another one has deleted', async () => {
    const { process, bus, pass, vault } = createProcesses();
    const [a, b] = [process(), process()];
    for (const key of ['held', 'left', 'deleted']) await a.shared.set(key, { level: key }, 10);
    await until(() => b.table.size === 3, { what: 'all three' });
    bus.isDeaf = true;
    a.shared.delete('deleted');
    pass(6_000);
    for (const key of ['held', 'deleted']) b.held.add(key);
    await b.shared.renew();
    pass(6_000);
    await b.shared.renew();
    expect([...b.table.keys()]).deep.equal(['held']);
    expect(await vault.list('level:')).deep.equal(['level:held']);
  });

  it('has again what a process holds, if it expired while the store was away', async () => {
    const { process, bus, pass } = createProcesses();
    const [a, b] = [process(), process()];
    for (const key of ['held', 'left']) await a.shared.set(key, { level: key }, 10);
    await until(() => b.table.size === 2, { what: 'both' });
    b.held.add('held');
    pass(11_000);
    bus.gap();
    const keys = () => [a, b].map(({ table }) => [...table.keys()].join()).join(' ');
    await until(() => keys() === 'held held', { what: 'the one that is held' });
  });

  it('drops the oldest entry when there is one too many, also in the vault', async () => {
    const { process, vault } = createProcesses();
    const a = process(true, 2);
    for (const key of ['a', 'b', 'a', 'c']) await a.shared.set(key, { level: 'info' }, 10);
    await until(async () => (await vault.list('level:')).join() === 'level:a,level:c', { what: 'two' });
    expect([...a.table.keys()]).deep.equal(['a', 'c']);
  });

  it('stays in memory in a process that is alone', async () => {
    const { process, vault } = createProcesses();
    const a = process(false);
    await a.shared.set('s', { level: 'info' }, 0);
    await a.shared.renew();
    expect([...a.table]).deep.equal([['s', 'info']]);
    expect(await vault.list('')).deep.equal([]);
  });
});
