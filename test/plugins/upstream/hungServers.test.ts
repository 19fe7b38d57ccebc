import { expect } from 'chai';
import { makeDirectory } from '../../support/directory.ts';
import { Rig, hostile, until } from './support.ts';

describe('upstream: a server that hangs', () => {
  let rig: Rig;
  beforeEach(() => (rig = new Rig()));
  afterEach(() => rig.stop());
  const running = async (): Promise<void> => {
    await rig.configure({ deadlineTickMs: 10, stdinGraceMs: 50, termGraceMs: 50, backoffFirstMs: 10 });
    await rig.define({ s: hostile('hangs', { timeout: 1, callTimeouts: { hang: 0.2, never: 0.2 } }) });
    await rig.hasTool('x_s_echo');
  };

  it('is noticed by one ping after a time-out: its process is replaced, other calls fail with the reason, the next one works', async () => {
    await running();
    const first = await rig.text('x_s_pid');
    const hanging = rig.refusal('x_s_hang');
    const other = rig.refusal('x_s_echo');
    expect((await hanging).code).to.equal('UPSTREAM_TIMEOUT');
    const { code, message } = await other;
    expect(code).to.equal('UPSTREAM_CLOSED');
    expect(message).to.match(/it hangs: after a request without an answer in time, ping .* had no answer/);
    expect(await rig.text('x_s_pid'))
      .to.match(/^\d+$/)
      .and.to.not.equal(first);
    const [event] = rig.told('server.healthCheckFailed');
    expect(event).to.include({ server: 's' });
  });

  it('gets no call while the ping asks: those that come meanwhile go to the next process', async () => {
    await running();
    const first = await rig.text('x_s_pid');
    expect((await rig.refusal('x_s_hang')).code).to.equal('UPSTREAM_TIMEOUT');
    const meanwhile = await Promise.all([rig.text('x_s_pid'), rig.text('x_s_pid')]);
    expect(meanwhile[0]).to.match(/^\d+$/).and.to.not.equal(first);
    expect(meanwhile[1]).to.equal(meanwhile[0]);
  });

  it('is noticed also if its process is stopped by a signal', async () => {
    await running();
    const first = await rig.text('x_s_pid');
    process.kill(Number(first), 'SIGSTOP');
    expect((await rig.refusal('x_s_never')).code).to.equal('UPSTREAM_TIMEOUT');
    expect(await rig.text('x_s_pid'))
      .to.match(/^\d+$/)
      .and.to.not.equal(first);
  });

  it('is noticed by a list without an answer while it begins to work', async () => {
    await rig.configure({ stdinGraceMs: 50, termGraceMs: 50, backoffFirstMs: 10 });
    await rig.define({ s: hostile('deafOnce', { timeout: 1 }, makeDirectory().at('began')) });
    await rig.hasTool('x_s_echo');
    const [ended] = rig.lines.filter(({ text }) => text === 'server disconnected');
    expect(ended?.data['reason']).to.match(/it hangs: after a request without an answer in time, ping/);
  });

  it('is noticed by a list without an answer later, without any call', async () => {
    await rig.configure({ stdinGraceMs: 50, termGraceMs: 50, backoffFirstMs: 10, relistMs: 100 });
    await rig.define({ s: hostile('quiet', { timeout: 1 }) });
    await rig.hasTool('x_s_pid');
    const first = await rig.text('x_s_pid');
    process.kill(Number(first), 'SIGSTOP');
    await until('it is noticed', () => rig.told('server.healthCheckFailed').length > 0);
    expect(await rig.text('x_s_pid'))
      .to.match(/^\d+$/)
      .and.to.not.equal(first);
  });

  it('is not one that answers a ping, but not a list: the process stays', async () => {
    await rig.configure({ stdinGraceMs: 50, termGraceMs: 50, backoffFirstMs: 10 });
    await rig.define({ s: hostile('gatedPrompts', { timeout: 1 }, makeDirectory().at('never')) });
    await rig.hasTool('x_s_pid');
    const first = await rig.text('x_s_pid');
    await until('the list fails', () => rig.lines.some(({ text }) => text === 'server could not be listed'));
    expect(await rig.text('x_s_pid')).to.equal(first);
    expect(rig.told('server.healthCheckFailed')).to.deep.equal([]);
  });

  it('holds a call no longer than its own time-out, and says that it has not run', async () => {
    await running();
    await rig.refusal('x_s_hang');
    const { code, message, details } = await rig.refusal('x_s_never');
    expect(code).to.equal('UPSTREAM_TIMEOUT');
    expect(message).to.match(/could not be sent within 200 ms; it has not run/);
    expect(details).to.include({ mayHaveRun: false });
  });

  it('is not one that answers a ping: the process stays, and after three such calls in a row the server is unhealthy, until one is answered', async () => {
    await running();
    const first = await rig.text('x_s_pid');
    expect((await rig.refusal('x_s_never')).code).to.equal('UPSTREAM_TIMEOUT');
    expect(await rig.text('x_s_pid')).to.equal(first);
    for (let call = 0; call < 3; call += 1)
      expect((await rig.refusal('x_s_never')).code).to.equal('UPSTREAM_TIMEOUT');
    expect(rig.status('s')).to.include({ state: 'running', health: 'unhealthy' });
    expect(rig.status('s').error).to.match(/^3 calls in a row had no answer in time; the last: .*never/);
    expect(await rig.text('x_s_pid')).to.equal(first);
    expect(rig.status('s')).to.include({ state: 'running', health: 'healthy' });
  });
});
