import { expect } from 'chai';
import type { InboundRequest, Scope } from '../../../../kernel/index.ts';
import { Turns } from '../../../../plugins/kit/limits/turns.ts';
import { ResultStore } from '../../../../plugins/metatools/results/resultStore.ts';
import type { StoredView } from '../../../../plugins/metatools/results/examine.ts';
import type { MetatoolsConfig } from '../../../../plugins/metatools/config.ts';
import { MemoryVault } from '../../../../plugins/vault-memory/memoryVault.ts';
import { refusalOf } from '../../../support/kernel.ts';
import { requestOf } from '../../../support/requests.ts';

const LIMITS = { maxEntries: 100, maxBytes: 1_500_000, maxValueBytes: 1_200_000, sweepMs: 1_000 };

const CONFIG = {
  maxStoredChars: 5_000_000,
  maxStoredResults: 10,
  storedResultTtlSeconds: 60,
  readCacheBytes: 1_000,
};

function storeOn(vault: MemoryVault, change: Partial<MetatoolsConfig> = {}): ResultStore {
  const config = { ...CONFIG, ...change };
  const scope = { config, find: () => vault } as unknown as Scope<MetatoolsConfig>;
  return new ResultStore(scope, new Turns());
}
function kept(text: string): StoredView {
  return { text, data: undefined, hasData: false, newLines: [0] };
}
function from(request: Partial<InboundRequest>): InboundRequest {
  return { ...requestOf(), sessionId: undefined, ...request };
}

describe('metatools: the store of oversized results', () => {
  it('returns a result only to the session that created it, and one created without a session to any holder of its handle', async () => {
    const store = storeOn(new MemoryVault(() => LIMITS));
    const own = await store.put(kept('{}'), from({ sessionId: 's' }));
    const nobodys = await store.put(kept('{}'), from({}));
    expect(await store.get(own, from({ sessionId: 's' }))).to.include({ chars: 2 });
    const forged = `${nobodys.slice(0, -1)}${nobodys.endsWith('A') ? 'B' : 'A'}`;
    for (const other of [from({}), from({ sessionId: 't' }), from({ sessionId: '' })]) {
      expect(await store.get(nobodys, other)).to.include({ chars: 2 });
      for (const handle of [own, forged])
        expect((await refusalOf(() => store.get(handle, other))).code).to.equal('TOOL_RESULT_GONE');
    }
  });

  describe('when it is full', () => {
    const [one, two] = [from({ sessionId: 'one' }), from({ sessionId: 'two' })];
    const nobody = (): InboundRequest => from({ remoteAddress: '192.0.2.1' });
    let vault: MemoryVault;
    beforeEach(() => (vault = new MemoryVault(() => LIMITS)));
    const putAll = async (store: ResultStore, texts: readonly string[], request: () => InboundRequest) => {
      const handles: string[] = [];
      for (const text of texts) handles.push(await store.put(kept(JSON.stringify(text)), request()));
      return handles;
    };
    const areThere = (store: ResultStore, handles: readonly string[], request: InboundRequest) =>
      Promise.all(
        handles.map((handle) =>
          store.get(handle, request).then(
            () => true,
            () => false,
          ),
        ),
      );
    const many = Array.from({ length: 100 }, (_, at) => String(at));

    it('deletes results of the owner that stores most, oldest first', async () => {
      const store = storeOn(vault, { maxStoredResults: 5 });
      const own = await putAll(store, ['a', 'b'], () => one);
      const others = await putAll(store, many, () => two);
      expect(await areThere(store, own, one)).to.deep.equal([true, true]);
      expect(await areThere(store, others.slice(-4), two)).to.deep.equal([false, true, true, true]);
      expect(await vault.list('result:')).to.have.length(5);
    });

    it('counts all requests from one address without sign-in, session and handle as one owner', async () => {
      const store = storeOn(vault, { maxStoredResults: 5 });
      const own = await putAll(store, ['a', 'b'], () => one);
      await putAll(store, many, nobody);
      expect(await areThere(store, own, one)).to.deep.equal([true, true]);
    });

    it('also limits characters, and stores no result that would leave others less than their share', async () => {
      const store = storeOn(vault, { maxStoredChars: 900 });
      const own = await putAll(store, ['x'.repeat(398)], () => one);
      const others = await putAll(store, ['y'.repeat(298), 'y'.repeat(298)], () => two);
      expect(await areThere(store, own, one)).to.deep.equal([true]);
      expect(await areThere(store, others, two)).to.deep.equal([false, true]);
      const refusal = await refusalOf(() => store.put(kept(JSON.stringify('y'.repeat(698))), two));
      expect(refusal).to.include({
        code: 'STORE_FORBIDDEN',
        message:
          'the result has 700 characters, and others take 400 of the 900 allowed for all stored results; ' +
          'ask for less, or raise plugins.metatools.config.maxStoredChars',
      });
      expect(await areThere(store, [...own, others[1] ?? ''], one)).to.deep.equal([true, false]);
      expect(await areThere(store, others, two)).to.deep.equal([false, true]);
    });

    it('remembers the owners of results after a restart', async () => {
      const before = storeOn(vault, { maxStoredResults: 6 });
      const own = await putAll(before, ['a', 'b'], () => one);
      await putAll(before, ['c', 'd', 'e', 'f'], nobody);
      const store = storeOn(vault, { maxStoredResults: 6 });
      await putAll(store, many.slice(0, 10), () => two);
      expect(await areThere(store, own, one)).to.deep.equal([true, true]);
    });
  });

  it('leaves no part in the vault of a result that does not fit', async () => {
    const vault = new MemoryVault(() => LIMITS);
    const refusal = await refusalOf(() => storeOn(vault).put(kept('x'.repeat(2_000_000)), requestOf()));
    expect(refusal.code).to.equal('STORE_FORBIDDEN');
    expect(await vault.list('result')).to.deep.equal([]);
  });
});
