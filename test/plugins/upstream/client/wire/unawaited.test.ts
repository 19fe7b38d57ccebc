import { expect } from 'chai';
import type { JsonObject } from '../../../../../kernel/index.ts';
import { defer } from '../../../../support/cleanup.ts';
import { HttpFixture } from '../../httpFixture.ts';
import { OlderFixture } from '../../olderFixture.ts';
import { Rig, until } from '../../support.ts';

const NEVER_MS = 3_600_000;

describe('upstream: HTTP requests without an awaited answer', () => {
  let rig: Rig;
  beforeEach(() => (rig = new Rig()));
  afterEach(() => rig.stop());

  const define = async (spec: JsonObject, config: JsonObject): Promise<void> => {
    await rig.configure({ deadlineTickMs: 20, ...config });
    await rig.define({ s: { timeout: 5, ...spec } });
    await rig.hasTool('x_s_echo');
  };
  const streamable = async (config: JsonObject = {}, more: JsonObject = {}): Promise<HttpFixture> => {
    const server = new HttpFixture();
    await server.listen();
    defer(() => server.kill());
    await define({ type: 'streamable-http', url: server.url, ...more }, config);
    return server;
  };
  const older = async (config: JsonObject = {}, more: JsonObject = {}): Promise<OlderFixture> => {
    const server = new OlderFixture();
    await server.listen();
    defer(() => server.close());
    await define({ type: 'sse', url: server.url, ...more }, config);
    return server;
  };
  const refusals = (count: number, tool: string, args: JsonObject = {}): Promise<readonly string[]> =>
    Promise.all(Array.from({ length: count }, async () => (await rig.refusal(tool, args)).code));

  it('leave a connection to a good call after 300 that timed out, on a server that accepts no cancellation', async () => {
    const server = await streamable({}, { callTimeout: 0.5 });
    server.acknowledges = false;
    for (let round = 0; round < 3; round += 1) {
      const codes = await refusals(100, 'x_s_slow', { ms: NEVER_MS });
      expect(new Set(codes)).to.deep.equal(new Set(['UPSTREAM_TIMEOUT']));
    }
    // On a busy machine an answer may take longer than callTimeout; without a connection none would ever come.
    const echo = async (): Promise<boolean> =>
      (await rig.text('x_s_echo', { message: 'still' }).catch(() => '')) === 'echo still';
    await until('the good call', echo);
    expect(server.count('notifications/cancelled')).to.equal(16);
  });

  it('are all sent, a few at a time, to a server that accepts them', async () => {
    const server = await streamable({ maxNotices: 2 }, { callTimeout: 0.1 });
    await refusals(30, 'x_s_slow', { ms: NEVER_MS });
    await until('every cancellation', () => server.count('notifications/cancelled') === 30);
  });

  it('make room for others after noticeTimeoutMs', async () => {
    const server = await streamable({ maxNotices: 1, noticeTimeoutMs: 50 }, { callTimeout: 0.1 });
    server.acknowledges = false;
    for (let call = 1; call <= 3; call += 1) {
      await rig.refusal('x_s_slow', { ms: NEVER_MS });
      await until('the cancellation', () => server.count('notifications/cancelled') === call);
    }
  });

  it('use up no connection when the stream of an answered call never ends', async () => {
    const server = await streamable({ maxConnections: 8 });
    server.answersAs = 'stream';
    server.endsStreams = false;
    for (let call = 0; call < 40; call += 1)
      expect(await rig.text('x_s_echo', { message: 'm' })).to.equal('echo m');
  });

  it('are abandoned on the older transport too, where a POST may have no answer of its own', async () => {
    const server = await older({ maxConnections: 8, noticeTimeoutMs: 200 }, { callTimeout: 0.5 });
    const atFirst = await server.connections();
    server.acknowledges = false;
    for (let call = 0; call < 20; call += 1) expect(await rig.text('x_s_echo')).to.equal('ok');
    for (let round = 0; round < 2; round += 1) await refusals(4, 'x_s_never');
    expect(await rig.text('x_s_echo')).to.equal('ok');
    await until('no more are left than before', async () => (await server.connections()) <= atFirst);
  });
});
