import { expect } from 'chai';
import type { JsonObject } from '../../../kernel/index.ts';
import { HttpFixture } from './httpFixture.ts';
import { Rig, until } from './support.ts';

/** Short waits, so that what would be repeated without a pause is repeated often. */
const QUICK = { resumeMs: 20, minResumeMs: 20, maxResumeMs: 100, backoffFirstMs: 10 };

describe('upstream: a standing stream that a server refuses or cuts', () => {
  const server = new HttpFixture();
  let rig: Rig;
  beforeEach(async () => {
    Object.assign(server, {
      streamInstead: undefined,
      hasStream: true,
      hasSessions: true,
      instead: undefined,
      asked: 0,
    });
    server.tools = ['echo'];
    server.methods.length = 0;
    await server.listen();
    rig = new Rig();
  });
  afterEach(async () => {
    await rig.stop();
    await server.kill();
  });
  const connect = async (config: JsonObject = {}): Promise<void> => {
    await rig.configure({ ...QUICK, ...config });
    await rig.define({ s: { type: 'streamable-http', url: server.url, timeout: 5 } });
    await rig.reaches('s', 'connected');
  };

  for (const [status, body] of [
    [404, 'Cannot GET /mcp'],
    [400, 'Bad Request: a session already exists'],
    [405, ''],
    [406, ''],
    [501, 'no session streams here'],
  ] as const)
    it(`is not asked for again after ${status}, and the session stays`, async () => {
      server.streamInstead = { status, body };
      await connect({ relistMs: 30 });
      await until('further lists', () => server.count('tools/list') >= 4);
      expect([server.count('initialize'), server.asked]).to.deep.equal([1, 1]);
      expect(await rig.text('x_s_echo')).to.equal('echo ');
    });

  for (const refusal of [
    { status: 503, body: 'unknown session' },
    { status: 500 },
    { status: 429 },
    { status: 408 },
    { status: 409 },
    'reset',
  ] as const)
    it(`is asked for again after ${typeof refusal === 'string' ? refusal : refusal.status}, with pauses, and the session stays`, async () => {
      server.streamInstead = refusal;
      await connect();
      await until('three requests', () => server.asked === 3);
      expect(server.streams).to.equal(0);
      server.streamInstead = undefined;
      await until('the stream', () => server.streams === 1);
      expect(server.count('initialize')).to.equal(1);
      expect(rig.told('server.disconnected')).to.deep.equal([]);
    });

  it('is asked for again as late as Retry-After says', async () => {
    server.streamInstead = { status: 503, retryAfter: 1 };
    await connect();
    const since = performance.now();
    await until('the second request', () => server.asked === 2);
    expect(performance.now() - since).above(900);
  });

  it('that was cut is asked for again, and what was announced meanwhile is read', async () => {
    await connect({ listDebounceMs: 1 });
    await until('the stream', () => server.streams === 1);
    server.streamInstead = { status: 502 };
    server.cut('');
    await until('a refused one', () => server.asked >= 2);
    server.tools = ['echo', 'bye'];
    server.streamInstead = undefined;
    await until('the new tool', () => rig.tools().includes('x_s_bye'));
    expect(server.count('initialize')).to.equal(1);
  });

  it('shows by one ping that the session is lost, which is then begun anew', async () => {
    await connect();
    await until('the stream', () => server.streams === 1);
    server.loseSessions(404, 'Session not found');
    server.cut('');
    await until('another session', () => server.count('initialize') === 2);
    await until('its stream', () => server.streams === 1);
    expect(server.count('ping')).to.equal(1);
  });

  it('is not needed for new tools to be seen: without it they are listed again, whatever the server declares', async () => {
    server.hasStream = false;
    await connect({ relistMs: 40 });
    server.tools = ['echo', 'bye'];
    await until('the new tool', () => rig.tools().includes('x_s_bye'));
  });
});
