import { expect } from 'chai';
import type { InboundRequest, Scope } from '../../../../kernel/index.ts';
import { Turns } from '../../../../kernel/lib/turns.ts';
import { ResultStore } from '../../../../plugins/metatools/results/resultStore.ts';
import type { KeptResult } from '../../../../plugins/metatools/results/resultStore.ts';
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

function storeOn(vault: MemoryVault): ResultStore {
  const scope = { config: CONFIG, all: () => [vault] } as unknown as Scope<MetatoolsConfig>;
  return new ResultStore(scope, new Turns());
}
function kept(text: string): KeptResult {
  return { text, data: undefined, hasData: false, newLines: [0] };
}
function from(request: Partial<InboundRequest>): InboundRequest {
  return { ...requestOf(), sessionId: undefined, ...request };
}

describe('metatools: the store of oversized results', () => {
  it('gives a result to the session that made it, and one that no session made to nobody', async () => {
    const store = storeOn(new MemoryVault(() => LIMITS));
    const own = await store.put(kept('{}'), from({ sessionId: 's' }));
    const nobodys = await store.put(kept('{}'), from({}));
    expect(await store.get(own, from({ sessionId: 's' }))).to.include({ chars: 2 });
    for (const other of [from({}), from({ sessionId: 't' }), from({ sessionId: '' })])
      for (const handle of [own, nobodys])
        expect((await refusalOf(() => store.get(handle, other))).code).to.equal('TOOL_RESULT_GONE');
  });

  it('leaves no part of a result in the vault that does not fit as a whole', async () => {
    const vault = new MemoryVault(() => LIMITS);
    const refusal = await refusalOf(() => storeOn(vault).put(kept('x'.repeat(2_000_000)), requestOf()));
    expect(refusal.code).to.equal('STORE_FORBIDDEN');
    expect(await vault.list('result')).to.deep.equal([]);
  });
});
