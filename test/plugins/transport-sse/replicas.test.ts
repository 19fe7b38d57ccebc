import { expect } from 'chai';
import { STAGE, definePlugin, textResult } from '../../../kernel/index.ts';
import type { InboundRequest } from '../../../kernel/index.ts';
import { callBody, initializeBody, metaTool, startEdge, testTools } from '../../support/edge.ts';
import type { Edge, EdgeOptions } from '../../support/edge.ts';
import { Channel } from '../../../plugins/contracts/processes.ts';
import { FakeBus } from '../../support/fakeBus.ts';
import { identify } from '../../support/identify.ts';
import { peerOn } from '../../support/peers.ts';
import { send } from '../../support/rawHttp.ts';
import { connectSse } from '../../support/sseClient.ts';
import { until, within } from '../../support/until.ts';

const ALICE = { 'x-caller': 'a alice' };

describe('transport-sse: a message for a stream that another process holds', () => {
  let bus: FakeBus;
  beforeEach(() => {
    bus = new FakeBus();
  });
  const start = (own: string, options: EdgeOptions = {}): Promise<Edge> =>
    startEdge({
      ...options,
      plugin: peerOn(bus, own),
      morePlugins: [identify, ...(options.morePlugins ?? [])],
    });

  it('is taken there, from initialize to a cancellation, and answered on the stream', async () => {
    const tests = testTools();
    const [a, b] = [await start('a', { tools: tests.tools }), await start('b')];
    const { stream, path, post } = await connectSse(a.url, ALICE, b.url);
    expect(path).match(/^\/message\?sessionId=a\.[\w-]{36}$/);
    expect((await post(initializeBody('2024-11-05'))).status).equal(202);
    expect((await stream.heard(1))[0]?.result).include({ protocolVersion: '2024-11-05' });
    await post(callBody('slow', {}, { id: 'long' }));
    const [waiting] = await tests.started(1);
    await post({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 'long', reason: 'typed' },
    });
    await until(() => waiting?.call.cancel.reason === 'typed', { what: 'the cancellation' });
    await post(callBody('echo', { a: 1 }));
    expect(JSON.stringify((await stream.heard(2))[1])).include('{\\"a\\":1}');
    expect((await post('{}', { 'content-type': 'text/plain' })).status).equal(415);
  });

  it('keeps what the process that let it in has learned, but for credentials', async () => {
    let seen: InboundRequest | undefined;
    const narrowing = definePlugin({
      name: 'test-narrowing',
      api: 1,
      configSchema: { type: 'object' },
      apply: (scope) => {
        scope.tap('onRequest', (request) => void (request.toolset = { selectors: ['tool:a'] }), STAGE.narrow);
        scope.tap('onCall', ({ request }) => void (seen = request));
      },
    });
    const tools = [metaTool('looked', () => textResult('at'))];
    const a = await start('a', { tools, morePlugins: [narrowing] });
    const b = await start('b', { tools, morePlugins: [narrowing] });
    const secret = { ...ALICE, authorization: 'Bearer secret', cookie: 'secret', 'x-trace': 'one' };
    const { stream, post } = await connectSse(a.url, secret, b.url);
    await post(initializeBody());
    await stream.heard(1);
    await post(callBody('looked'));
    await stream.heard(2);
    expect(seen).deep.include({ transport: 'http', path: '/message', toolset: { selectors: ['tool:a'] } });
    expect(seen?.caller).include({ subject: 'alice', issuer: 'a' });
    expect(['x-trace', 'authorization', 'cookie'].map((name) => seen?.header(name))).deep.equal([
      'one',
      undefined,
      undefined,
    ]);
  });

  it('is refused for another caller, for a stream that has ended, and by a process that has', async () => {
    const [a, b] = [await start('a'), await start('b')];
    const { stream, path, post } = await connectSse(a.url, ALICE, b.url);
    const headers = { 'content-type': 'application/json', 'x-caller': 'a bob' };
    const stranger = await send(b.url + path, { method: 'POST', headers, body: initializeBody() });
    expect(stranger.status).equal(404);
    bus.ended.add('a');
    const gone = await post(initializeBody());
    expect(gone.status).equal(404);
    expect(gone.text).include('open one with GET /sse');
    bus.ended.clear();
    stream.close();
    await within(stream.ended, { what: 'the stream ends' });
    await until(async () => (await post(initializeBody())).status === 404, { what: 'the stream is let go' });
  });

  it('is read only once that process has said that it holds the stream for the caller', async () => {
    const published: string[] = [];
    const [channel] = bus.scopeOf('c').all(Channel) as readonly Channel[];
    const message = (sent: object): void => void published.push(JSON.stringify(sent));
    channel?.subscribe('sse-message', { message });
    const [a, b] = [await start('a'), await start('b')];
    const { path } = await connectSse(a.url, ALICE, b.url);
    const headers = { 'content-type': 'application/json', 'x-caller': 'a bob' };
    const stranger = await send(b.url + path, { method: 'POST', headers, body: '"x-marks-the-body"' });
    expect(stranger.status).equal(404);
    expect(published.join()).include('"owner"').and.not.include('x-marks-the-body');
  });

  it('is taken where the stream is, also when the processes no longer know each other', async () => {
    const a = await start('a');
    const { stream, post } = await connectSse(a.url, ALICE);
    await a.configure({ plugins: { 'test-processes': false } });
    expect((await post(initializeBody('2024-11-05'))).status).equal(202);
    await stream.heard(1);
  });

  it('gets 503 and the time to try again if that process does not answer', async () => {
    const [a, b] = [await start('a'), await start('b')];
    const { post } = await connectSse(a.url, ALICE, b.url);
    bus.isDeaf = true;
    const answer = await post(initializeBody());
    expect(answer.status).equal(503);
    expect(answer.headers['retry-after']).equal('2');
    expect(answer.text).include('does not answer');
  });
});
