import { expect } from 'chai';
import { grantMetrics } from '../../../../../plugins/auth-client/grants/credentials/grantMetrics.ts';
import { Tally } from '../../../../../plugins/kit/metrics/tally.ts';
import { valuesOf } from '../../../../support/metrics.ts';
import { GrantBench } from '../grantBench.ts';

describe('auth-client: the metrics of sign-ins', () => {
  it('count the grants of existing servers by state', async () => {
    const bench = await GrantBench.open();
    const process = bench.process();
    const { metrics } = grantMetrics(process.grants, new Tally(), (name) =>
      process.servers.find((one) => one.name === name),
    );
    const now = (): object => valuesOf(metrics, 'pegboard.grants');
    expect(now()).deep.equal({});
    await process.grants.asked({ owner: 'local' }, 'notes', Date.now() + 600_000);
    expect(now()).deep.equal({ 'server=notes state=asked': 1 });
    await process.signIn();
    expect(now()).deep.equal({ 'server=notes state=valid': 1 });
    process.servers = [];
    expect(now()).deep.equal({});
  });
});
