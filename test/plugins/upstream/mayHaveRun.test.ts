import { expect } from 'chai';
import { HttpFixture } from './httpFixture.ts';
import { Rig } from './support.ts';

const SENTENCE = '; it may have run, check its effect before calling again';
const PAGE = '<html><head><title>Oops</title></head></html>';
const RPC = '{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"no luck"}}';
const STREAM = { 'content-type': 'text/event-stream' };

/** How a server, or a proxy before it, ends a call that was sent: whether the tool may have run. */
const ENDS: readonly (readonly [string, HttpFixture['instead'], boolean])[] = [
  ['HTTP 400', { status: 400 }, false],
  ['HTTP 403 with a page', { status: 403, body: PAGE }, false],
  ['HTTP 408', { status: 408 }, true],
  ['HTTP 413', { status: 413, body: PAGE }, false],
  ['HTTP 429', { status: 429 }, false],
  ['HTTP 499', { status: 499 }, true],
  ['HTTP 500 with a page', { status: 500, body: PAGE }, true],
  ['HTTP 500 with an error of JSON-RPC', { status: 500, body: RPC }, false],
  ['HTTP 501', { status: 501 }, false],
  ['HTTP 502 with a page', { status: 502, body: PAGE }, true],
  ['HTTP 502 with an error of JSON-RPC', { status: 502, body: RPC }, true],
  ['HTTP 503 with a page', { status: 503, body: PAGE }, false],
  ['HTTP 504', { status: 504 }, true],
  ['HTTP 520', { status: 520 }, true],
  ['HTTP 521', { status: 521 }, false],
  ['HTTP 522', { status: 522 }, false],
  ['HTTP 523', { status: 523 }, false],
  ['HTTP 524 with a page', { status: 524, body: PAGE }, true],
  ['HTTP 525', { status: 525 }, false],
  ['HTTP 526', { status: 526 }, false],
  ['HTTP 530', { status: 530 }, true],
  ['a redirect', { status: 302, headers: { location: '/login' } }, false],
  ['HTTP 200 with a page', { status: 200, headers: { 'content-type': 'text/html' }, body: PAGE }, true],
  ['HTTP 200 with another answer', { status: 200, body: '{"jsonrpc":"2.0","id":999,"result":{}}' }, true],
  ['HTTP 202', { status: 202 }, true],
  ['HTTP 204', { status: 204 }, true],
  ['a stream that is cut', { status: 200, headers: STREAM, body: 'data: {"jsonr' }, true],
];

describe('upstream: whether a tool may have run', () => {
  let rig: Rig;
  let server: HttpFixture;
  before(async () => {
    rig = new Rig();
    server = new HttpFixture();
    await server.listen();
    await rig.configure({ retryWaitMs: 0 });
    await rig.define({ s: { type: 'streamable-http', url: server.url, timeout: 5 } });
    await rig.hasTool('x_s_echo');
  });
  after(async () => {
    await rig.stop();
    await server.kill();
  });

  for (const [how, instead, mayHaveRun] of ENDS)
    it(`is ${mayHaveRun ? 'said' : 'not said'} after ${how}`, async () => {
      server.instead = instead;
      const { message, details } = await rig.refusal('x_s_echo');
      server.instead = undefined;
      expect(message).contain('tool echo of server s ').not.contain('<');
      expect([details['mayHaveRun'] === true, message.includes(SENTENCE)]).deep.equal([
        mayHaveRun,
        mayHaveRun,
      ]);
      expect(await rig.text('x_s_echo')).equal('echo ');
    });

  it('names pages of proxies as such', async () => {
    for (const status of [408, 502, 503, 504, 524]) {
      server.instead = { status, body: PAGE };
      expect((await rig.refusal('x_s_echo')).message).contain(`HTTP ${status} with a proxy's page: Oops`);
    }
    server.instead = { status: 500, body: PAGE };
    expect((await rig.refusal('x_s_echo')).message).contain('HTTP 500: Oops;');
    server.instead = undefined;
  });
});
