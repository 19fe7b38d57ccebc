import { expect } from 'chai';
import { textResult } from '../../../kernel/index.ts';
import { toolsPlugin } from '../../support/edge.ts';
import { bootGateway, moduleOf } from '../../support/gateway.ts';
import { refusalOf, toolOf } from '../../support/kernel.ts';
import { metricsOf, valuesOf } from '../../support/metrics.ts';
import { requestOf } from '../../support/requests.ts';
import { gate } from '../../support/until.ts';

describe('limits: metrics', () => {
  it('count calls under way, and those refused, by limit', async () => {
    const { opened, open } = gate();
    const tools = [
      toolOf('x_a_slow', { server: 'a', invoke: () => opened.then(() => textResult('done')) }),
      toolOf('x_b_slow', { server: 'b', invoke: () => opened.then(() => textResult('done')) }),
    ];
    const limits = { config: { perServer: { concurrent: 1 }, perCaller: { concurrent: 2 } } };
    const gateway = await bootGateway({
      builtIns: ['metatools', 'limits'],
      files: {
        'config.yaml': JSON.stringify({ plugins: { tools: { module: './tools.mjs' }, limits } }),
        'tools.mjs': moduleOf(toolsPlugin('tools', tools)),
        'state/.keep': '',
      },
    });
    const now = (name: string) => valuesOf(metricsOf(gateway), name);
    const call = (name: string) => gateway.kernel.calls.call('call_tool', { name }, requestOf());
    const running = [call('x_a_slow')];
    expect((await refusalOf(() => call('x_a_slow'))).code).equal('LIMIT_EXCEEDED');
    running.push(call('x_b_slow'));
    expect((await refusalOf(() => call('x_b_slow'))).code).equal('LIMIT_EXCEEDED');
    // Each call_tool against the caller's limit, its tool against the server's.
    expect(now('pegboard.limits.running')).deep.equal({ '': 4 });
    open();
    await Promise.all(running);
    expect(now('pegboard.limits.running')).deep.equal({ '': 0 });
    expect(now('pegboard.limits.refusals')).deep.equal({ 'limit=server': 1, 'limit=caller': 1 });
  });
});
