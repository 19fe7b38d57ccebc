import { expect } from 'chai';
import { defer } from '../../../support/cleanup.ts';
import { startEdge, testTools } from '../../../support/edge.ts';
import { TalkingClient } from '../../../support/talkingClient.ts';

describe('A running request', () => {
  it('is answered if the gateway cancels its call, also on a stream that is open already', async () => {
    const test = testTools();
    const client = await TalkingClient.connect((await startEdge({ tools: test.tools })).url);
    defer(() => client.leave());
    const call = client.request('tools/call', {
      name: 'slow',
      arguments: {},
      _meta: { progressToken: 1 },
    });
    const [{ call: running } = {}] = await test.started(1);
    running?.progress?.({ progress: 1 });
    running?.cancel.cancel('by the operator');
    const answer = await call.answer();
    expect(answer.id).equal(call.id);
    expect(answer).have.any.keys('error', 'result');
  });

  it('is not answered if its client cancels it', async () => {
    const test = testTools();
    const client = await TalkingClient.connect((await startEdge({ tools: test.tools })).url);
    defer(() => client.leave());
    const call = client.request('tools/call', { name: 'slow', arguments: {}, _meta: { progressToken: 1 } });
    const [{ call: running } = {}] = await test.started(1);
    running?.progress?.({ progress: 1 });
    const params = { requestId: call.id };
    await client.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
    await client.request('tools/list').answer();
    expect(call.heard.filter((one) => one.id === call.id)).deep.equal([]);
  });
});
