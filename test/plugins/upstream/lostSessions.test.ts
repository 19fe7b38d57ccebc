import { expect } from 'chai';
import { HttpFixture } from './httpFixture.ts';
import { Rig } from './support.ts';

describe('upstream: a session that its server has forgotten', () => {
  const server = new HttpFixture();
  let rig: Rig;
  beforeEach(async () => {
    Object.assign(server, { instead: undefined, alwaysAnswersPing: false, lostCode: -32000 });
    server.tools = ['echo', 'refuse'];
    server.methods.length = 0;
    await server.listen();
    rig = new Rig();
    await rig.configure({ backoffFirstMs: 10 });
    await rig.define({ s: { type: 'streamable-http', url: server.url, timeout: 5 } });
    await rig.reaches('s', 'connected');
  });
  afterEach(async () => {
    await rig.stop();
    await server.kill();
  });
  const calls = (): number => server.count('tools/call');

  for (const [status, words, code] of [
    [404, 'Not Found'],
    [400, 'Bad Request: No valid session ID provided'],
    [400, 'Bad Request: Server not initialized'],
    [410, 'Session expired'],
    [503, 'unknown session'],
    [500, 'Invalid session ID'],
    [401, 'session expired'],
    [403, 'Session has ended'],
    [422, 'no such session'],
    [500, 'Server not initialized'],
    [200, 'Session not found', -32000],
    [200, 'Session not found', -32001],
    [200, 'session terminated', -32002],
    [200, 'Missing session', -32600],
    [200, 'Invalid session ID', -32602],
    [200, 'Received request before initialization was complete', -32602],
  ] as const)
    it(`is begun again after ${status} ${code ?? ''} "${words}", and the call is answered`, async () => {
      server.lostCode = code ?? -32000;
      server.alwaysAnswersPing = /initializ/.test(words);
      server.loseSessions(status, words);
      expect(await rig.text('x_s_echo', { message: 'again' })).to.equal('echo again');
      expect([server.count('initialize'), calls()]).to.deep.equal([2, 2]);
      expect(await rig.text('x_s_echo', { message: 'on' })).to.equal('echo on');
      expect([server.count('initialize'), calls()]).to.deep.equal([2, 3]);
      expect(server.count('ping')).most(1);
      expect(rig.lines.filter(({ text }) => text === 'server must be initialized again')).length(1);
    });

  it('is not seen in the words of a tool about sessions of its own: the session answers a ping', async () => {
    const { message } = await rig.refusal('x_s_refuse', { message: 'no browser session abc' });
    expect(message).to.contain('no browser session abc');
    expect([server.count('initialize'), calls(), server.count('ping')]).to.deep.equal([1, 1, 1]);
  });

  it('is decided by one ping for all calls that meet it', async () => {
    server.loseSessions(200, 'Session not found');
    const texts = Array.from({ length: 8 }, (_, at) => rig.text('x_s_echo', { message: `${at}` }));
    expect(await Promise.all(texts)).to.deep.equal(Array.from({ length: 8 }, (_, at) => `echo ${at}`));
    expect([server.count('initialize'), server.count('ping')]).to.deep.equal([2, 1]);
  });

  it('is not begun again for a call that says so in each new session: it fails with the words of the server', async () => {
    const { message } = await rig.refusal('x_s_refuse', { message: 'Server not initialized' });
    expect(message).to.contain('Server not initialized');
    expect([server.count('initialize'), calls()]).to.deep.equal([2, 2]);
  });
});
