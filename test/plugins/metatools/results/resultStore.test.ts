import { expect } from 'chai';
import type { InboundRequest, Scope } from '../../../../kernel/index.ts';
import { ResultStore } from '../../../../plugins/metatools/results/resultStore.ts';
import type { MetatoolsConfig } from '../../../../plugins/metatools/config.ts';
import { MemoryVault } from '../../../../plugins/vault-memory/memoryVault.ts';
import { refusalOf } from '../../../support/kernel.ts';

const LIMITS = { maxEntries: 100, maxBytes: 1_500_000, maxValueBytes: 1_200_000, sweepMs: 1_000 };

describe('metatools: the store of oversized results', () => {
  it('leaves no part of a result in the vault that does not fit as a whole', async () => {
    const vault = new MemoryVault(() => LIMITS);
    const config = {
      maxStoredChars: 5_000_000,
      maxStoredResults: 10,
      storedResultTtlSeconds: 60,
      readCacheBytes: 1_000,
    };
    const scope = { config, all: () => [vault] } as unknown as Scope<MetatoolsConfig>;
    const request = { caller: undefined, sessionId: 's' } as InboundRequest;
    const refusal = await refusalOf(() => new ResultStore(scope).put('x'.repeat(2_000_000), request));
    expect(refusal.code).to.equal('STORE_FORBIDDEN');
    expect(await vault.list('result')).to.deep.equal([]);
  });
});
