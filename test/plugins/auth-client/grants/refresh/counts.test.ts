import { expect } from 'chai';
import { movableClock } from '../../../../support/clock.ts';
import { refusalOf } from '../../../../support/kernel.ts';
import { GrantBench } from '../grantBench.ts';
import { used } from '../used.ts';

const HOUR_MS = 3_600_000;

describe('auth-client: counts of refreshes', () => {
  it('have the cause of each failure, and none for those that came', async () => {
    const { later } = movableClock();
    const bench = await GrantBench.open();
    const process = bench.process();
    const counts = (): unknown => {
      const all = [...process.refresher.counts.samples()];
      return Object.fromEntries(all.map(({ labels, value }) => [labels?.['cause'], value]));
    };
    await process.signIn();
    later(2 * HOUR_MS);
    await used(process);
    expect(counts()).deep.equal({ none: 1 });
    later(2 * HOUR_MS);
    bench.endpoint.refusal = { status: 503, body: {} };
    await refusalOf(() => used(process));
    later(2 * HOUR_MS);
    bench.endpoint.refusal = { status: 400, body: { error: 'invalid_grant' } };
    await refusalOf(() => used(process));
    expect(counts()).deep.equal({ none: 1, unavailable: 1, revoked: 1 });
  });
});
