import { expect } from 'chai';
import { defer } from '../../support/cleanup.ts';
import { ENCODERS, compressing } from './compressing.ts';
import { HttpFixture } from './httpFixture.ts';
import { OlderFixture } from './olderFixture.ts';
import { Rig, until } from './support.ts';

describe('upstream: a server whose answers are compressed without being asked for', () => {
  let rig: Rig;
  let server: HttpFixture;
  beforeEach(async () => {
    rig = new Rig();
    defer(() => rig.stop());
    server = new HttpFixture();
    await server.listen();
    defer(() => server.kill());
    await rig.configure();
  });

  for (const [what, encoder] of Object.entries(ENCODERS))
    it(`is understood: answers, event streams as they are flushed, and the standing stream (${what})`, async () => {
      await rig.define({
        s: { type: 'streamable-http', url: await compressing(server.url, encoder), timeout: 5 },
      });
      await rig.hasTool('x_s_echo');
      const message = 'ü'.repeat(300_000);
      expect(await rig.text('x_s_echo', { message })).equal(`echo ${message}`);
      server.answersAs = 'stream';
      expect(await rig.text('x_s_echo', { message })).equal(`echo ${message}`);
      server.endsStreams = false;
      expect(await rig.text('x_s_echo', { message: 'flushed' })).equal('echo flushed');
      server.answersAs = 'json';
      await until('a standing stream', () => server.streams === 1);
      server.tools = ['echo', 'added'];
      server.push({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
      await rig.hasTool('x_s_added');
      for (const headers of server.headers) expect(headers).include({ 'accept-encoding': 'identity' });
    });

  it('is resumed where a compressed event stream was cut', async () => {
    await rig.define({ s: { type: 'streamable-http', url: await compressing(server.url), timeout: 5 } });
    await rig.hasTool('x_s_echo');
    server.answersAs = 'resumed';
    expect(await rig.text('x_s_echo', { message: 'late' })).equal('echo late');
    expect(server.lastIds).contain('e1');
  });

  it('is understood over the older transport', async () => {
    const older = new OlderFixture();
    await older.listen();
    defer(() => older.close());
    await rig.define({ s: { type: 'sse', url: await compressing(older.url), timeout: 5 } });
    await rig.hasTool('x_s_echo');
    expect(await rig.text('x_s_echo')).equal('ok');
  });

  it('has lost a session when a compressed error says so', async () => {
    await rig.define({ s: { type: 'streamable-http', url: await compressing(server.url), timeout: 5 } });
    await rig.hasTool('x_s_echo');
    server.loseSessions(400, 'session not found');
    expect(await rig.text('x_s_echo', { message: 'again' })).equal('echo again');
    expect(server.count('initialize')).equal(2);
  });

  it('is quoted with what a compressed error says', async () => {
    await rig.define({ s: { type: 'streamable-http', url: await compressing(server.url), timeout: 5 } });
    await rig.hasTool('x_s_echo');
    server.instead = { status: 500, body: 'out of order' };
    expect((await rig.refusal('x_s_echo')).message).contain('it answered HTTP 500: out of order');
  });
});
