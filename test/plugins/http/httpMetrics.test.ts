import { expect } from 'chai';
import { initialize, startEdge } from '../../support/edge.ts';
import { metricsOf, valuesOf } from '../../support/metrics.ts';
import { send } from '../../support/rawHttp.ts';

describe('http: metrics', () => {
  it('count refusals by status, and no request that was answered', async () => {
    const { gateway, url } = await startEdge();
    const refusals = () => valuesOf(metricsOf(gateway), 'pegboard.http.refusals');
    await initialize(url);
    expect((await send(`${url}/health`)).status).equal(200);
    expect(refusals()).deep.equal({});
    await send(`${url}/nowhere`);
    await send(`${url}/nowhere`);
    await send(`${url}/mcp`, { headers: { host: 'evil.example' } });
    expect(refusals()).deep.equal({ 'status=404': 2, 'status=403': 1 });
  });
});
