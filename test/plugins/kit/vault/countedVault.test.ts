import { expect } from 'chai';
import { CountedVault } from '../../../../plugins/kit/vault/countedVault.ts';
import { MemoryVault } from '../../../../plugins/vault-memory/memoryVault.ts';
import { valuesOf } from '../../../support/metrics.ts';

const ROOM = { maxEntries: 2, maxBytes: 1_000, maxValueBytes: 100, sweepMs: 1_000 };

describe('a vault with metrics', () => {
  it('counts operations, those that fail, and entries', async () => {
    const memory = new MemoryVault(
      () => ROOM,
      () => 0,
    );
    const vault = new CountedVault(memory, () => 7);
    await vault.set('a', 1);
    expect(await vault.putIfAbsent('b', 2)).equal(true);
    expect(await vault.compareAndSwap('b', 2, 3)).equal(true);
    expect(await vault.get('b')).equal(3);
    expect(await vault.list('')).deep.equal(['a', 'b']);
    const failure = await vault.set('c', 'x'.repeat(200)).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failure).instanceOf(Error);
    expect(await vault.take('b')).equal(3);
    expect(await vault.delete('a')).equal(true);
    expect(valuesOf(vault.metrics, 'pegboard.vault.operations')).deep.equal({
      'operation=set': 2,
      'operation=putIfAbsent': 1,
      'operation=compareAndSwap': 1,
      'operation=get': 1,
      'operation=list': 1,
      'operation=take': 1,
      'operation=delete': 1,
    });
    // Those that have not failed have series, too: an alert sees the first failure.
    expect(valuesOf(vault.metrics, 'pegboard.vault.failures')).deep.equal({
      'operation=get': 0,
      'operation=set': 1,
      'operation=putIfAbsent': 0,
      'operation=compareAndSwap': 0,
      'operation=take': 0,
      'operation=delete': 0,
      'operation=list': 0,
    });
    expect(valuesOf(vault.metrics, 'pegboard.vault.entries')).deep.equal({ '': 7 });
    expect(valuesOf(new CountedVault(memory).metrics, 'pegboard.vault.entries')).deep.equal({});
  });
});
