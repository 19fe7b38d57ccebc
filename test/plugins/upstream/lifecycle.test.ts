import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { defer } from '../../support/cleanup.ts';
import { processesBelow, processesNaming } from '../../support/proc.ts';
import { Rig, hostile, isAlive, temporaryFolder, until } from './support.ts';
import { programAt } from '../../support/programs.ts';

describe('upstream: the life of a server', () => {
  let rig: Rig;
  beforeEach(() => (rig = new Rig()));
  afterEach(() => rig.stop());

  const pidOf = async (server: string): Promise<number> => Number(await rig.text(`x_${server}_pid`));

  it('restarts a killed process and lets the next call wait for it', async () => {
    await rig.configure();
    await rig.define({ s: hostile() });
    await rig.hasTool('x_s_echo');
    const pid = await pidOf('s');
    process.kill(pid, 'SIGKILL');
    await until('noticed', () => rig.status('s').state === 'starting');
    expect(await rig.text('x_s_echo', { message: 'after' })).to.equal('after');
    expect(await pidOf('s')).to.not.equal(pid);
    expect(rig.told('server.disconnected')).to.have.length(1);
  });

  it('waits at the start of Pegboard while other servers are starting, unless it is called', async () => {
    const folder = temporaryFolder();
    defer(folder.remove);
    const gate = join(folder.path, 'open');
    await rig.configure({ maxStarting: 1 });
    await rig.define({
      a: hostile('gated', {}, gate),
      b: hostile(),
      c: hostile('plain', { autoStart: false }),
    });
    await rig.service('c').start?.();
    expect([rig.status('c').state, rig.status('b').state]).to.deep.equal(['running', 'starting']);
    expect(rig.told('server.connected').map(({ server }) => server)).to.deep.equal(['c']);
    writeFileSync(gate, '');
    await rig.hasTool('x_b_echo');
    expect(rig.told('server.connected').map(({ server }) => server)).to.deep.equal(['c', 'a', 'b']);
  });

  it('has its tools in the catalogue before it is reported ready', async () => {
    await rig.configure();
    const had: boolean[] = [];
    rig.kernel.bus.hooks.onEvent.tap('test', (event) => {
      if (event.type !== 'server.stateChanged' || event.state !== 'ready') return;
      had.push(rig.kernel.catalogue.shared('x_s_echo') !== undefined);
    });
    await rig.define({ s: hostile() });
    await rig.hasTool('x_s_echo');
    expect(had).to.deep.equal([true]);
  });

  it('counts a restart that its definition requests at the start as done', async () => {
    const restartRequestedAt = '2026-01-31T12:00:00Z';
    await rig.configure();
    await rig.define({ s: hostile('plain', { restartRequestedAt }) });
    await rig.hasTool('x_s_echo');
    expect(rig.status('s').metadata).to.include({ lastRestartedAt: restartRequestedAt });
    expect(rig.told('server.restarting')).to.deep.equal([]);
  });

  it('stops a process that is not called, keeps its tools, and starts it once for a hundred calls', async () => {
    await rig.configure();
    await rig.define({ s: hostile('plain', { idleTimeout: 1 }) });
    await rig.hasTool('x_s_echo');
    const pid = await pidOf('s');
    await rig.reaches('s', 'idle');
    expect(isAlive(pid)).to.equal(false);
    expect([rig.tools().includes('x_s_echo'), rig.isStale('x_s_echo')]).to.deep.equal([true, false]);
    expect(rig.status('s')).to.include({ health: 'unknown' }).and.not.have.property('error');
    const pids = await Promise.all(Array.from({ length: 100 }, () => pidOf('s')));
    expect(new Set(pids).size).to.equal(1);
    expect(pids[0]).to.not.equal(pid);
    await rig.reaches('s', 'running');
    await rig.reaches('s', 'idle');
    expect(rig.told('server.connected')).to.have.length(2);
    await rig.define({ s: hostile('plain', { idleTimeout: 1, suspended: true }) });
    await rig.reaches('s', 'stopped');
    expect(rig.tools()).to.not.include('x_s_echo');
  });

  it('starts with Pegboard only while its tools are unknown, if it may be idle', async () => {
    const folder = temporaryFolder();
    const first = new Rig(folder.path);
    await first.configure();
    await first.define({ s: hostile('plain', { idleTimeout: 60 }) });
    await first.reaches('s', 'running');
    await first.stop();
    rig = new Rig(folder.path);
    await rig.configure();
    await rig.define({ s: hostile('plain', { idleTimeout: 60 }) });
    await rig.hasTool('x_s_echo');
    expect([rig.status('s').state, rig.told('server.connected')]).to.deep.equal(['idle', []]);
    expect(await rig.text('x_s_echo', { message: 'up' })).to.equal('up');
    await rig.reaches('s', 'running');
    await rig.stop();
    folder.remove();
  });

  it('keeps running once its definition no longer allows it to be idle', async () => {
    await rig.configure();
    await rig.define({ s: hostile('plain', { idleTimeout: 1 }) });
    await rig.reaches('s', 'running');
    await rig.reaches('s', 'idle');
    await rig.define({ s: hostile() });
    await rig.reaches('s', 'running');
  });

  it('ends the children of a process that exits by itself, and does not wait for those outside its group', async () => {
    const folder = temporaryFolder();
    const file = join(folder.path, 'pids');
    await rig.configure();
    await rig.define({ s: hostile('parent', {}, file) });
    await rig.hasTool('x_s_echo');
    const [inGroup = 0, outOfGroup = 0] = readFileSync(file, 'utf8').split(' ').map(Number);
    const ended = await Promise.race([
      rig.refusal('x_s_die'),
      until('never', () => false, 3_000).catch(() => 0),
    ]);
    process.kill(outOfGroup, 'SIGKILL');
    expect(ended).to.include({ code: 'UPSTREAM_CLOSED' });
    await until('the end of the child in the group', () => !isAlive(inGroup));
    folder.remove();
  });

  it('starts a redefined server only after its former process has exited', async () => {
    await rig.configure({ stdinGraceMs: 300, termGraceMs: 300 });
    await rig.define({ s: hostile('stubborn') });
    await rig.hasTool('x_s_echo');
    const pid = await pidOf('s');
    await rig.define({});
    await rig.define({ s: hostile() });
    await rig.hasTool('x_s_echo');
    expect(isAlive(pid)).to.equal(false);
  });

  it('reports that a call under way when it died may have run', async () => {
    await rig.configure();
    await rig.define({ s: hostile() });
    await rig.hasTool('x_s_echo');
    const error = await rig.refusal('x_s_die');
    expect(error).to.include({ code: 'UPSTREAM_CLOSED' });
    expect(error.message).to.contain('exited with code 3').and.to.contain('may have run');
    expect(await rig.text('x_s_echo', { message: 'again' })).to.equal('again');
  });

  it('resends a call of an idempotent tool once when its server dies, and marks the result', async () => {
    const folder = temporaryFolder();
    await rig.configure();
    await rig.define({ s: hostile() });
    await rig.hasTool('x_s_dieOnce');
    const { content, _meta } = (await rig.call('x_s_dieOnce', { grave: join(folder.path, 'grave') })).value();
    expect(content[0]).to.include({ text: 'alive' });
    expect(_meta).to.deep.equal({ own: 1, 'pegboard.dev/retried': true });
    const nowhere = { grave: join(folder.path, 'none', 'grave') };
    await rig.reaches('s', 'running');
    expect((await rig.refusal('x_s_dieOnce', nowhere)).message).to.contain('may have run');
    folder.remove();
  });

  it('backs off after repeated deaths, reports the next attempt, and then fails calls at once', async () => {
    await rig.configure({ backoffFirstMs: 60_000, backoffMaxMs: 60_000 });
    await rig.define({ s: hostile() });
    await rig.hasTool('x_s_echo');
    await rig.refusal('x_s_die');
    await rig.hasTool('x_s_echo');
    await rig.refusal('x_s_die');
    await rig.reaches('s', 'failed');
    const { metadata } = rig.status('s');
    expect(metadata).to.include({ consecutiveFailures: 2, stale: true });
    const error = await rig.refusal('x_s_echo');
    expect(error).to.include({ code: 'UPSTREAM_UNREACHABLE' });
    expect(error.message).to.contain(String(metadata['nextRetryAfter']));
  });

  it('starts the backoff again after a healthy period', async () => {
    await rig.configure({ backoffFirstMs: 60_000, backoffMaxMs: 60_000, healthyAfterMs: 1 });
    await rig.define({ s: hostile() });
    for (let round = 0; round < 3; round += 1) {
      await rig.hasTool('x_s_echo');
      await until('healthy', () => rig.status('s').metadata['consecutiveFailures'] === 0);
      await rig.refusal('x_s_die');
    }
    await rig.hasTool('x_s_echo');
  });

  it('retries until the server works, and connects then', async () => {
    const folder = temporaryFolder();
    const file = join(folder.path, 'works');
    await rig.configure({ backoffFirstMs: 10, backoffMaxMs: 40 });
    await rig.define({ s: hostile('dumb', {}, file) });
    await until('several attempts', () => Number(rig.status('s').metadata['consecutiveFailures']) >= 4);
    expect(rig.status('s').error).to.contain('exited with code 9');
    const warnings = rig.lines.filter(({ level }) => level === 'warn');
    expect(warnings.length).to.be.lessThan(4);
    writeFileSync(file, '');
    await rig.hasTool('x_s_echo');
    folder.remove();
  });

  it('does not connect to a server that was suspended during its backoff', async () => {
    await rig.configure({ backoffFirstMs: 100, backoffMaxMs: 100 });
    await rig.define({ s: hostile('dumb') });
    await rig.reaches('s', 'failed');
    await rig.define({ s: hostile('dumb', { suspended: true }) });
    await rig.reaches('s', 'stopped');
    const before = rig.told('server.stateChanged').length;
    await new Promise((resolve) => setTimeout(resolve, 250));
    expect(rig.told('server.stateChanged')).to.have.length(before);
  });

  it('starts stdio servers only with autoStart or once that was requested, and suspended ones never', async () => {
    await rig.configure();
    await rig.define({
      plain: hostile('plain', { autoStart: undefined }),
      asleep: hostile('plain', { suspended: true, restartRequestedAt: '2026-01-31T12:00:00Z' }),
      requested: hostile('plain', { autoStart: undefined, restartRequestedAt: '2026-01-31T12:00:00Z' }),
      awake: hostile(),
    });
    await rig.hasTool('x_awake_echo');
    await rig.hasTool('x_requested_echo');
    expect(rig.status('plain').state).to.equal('stopped');
    expect(rig.status('asleep').state).to.equal('stopped');
    await rig.service('plain').start?.();
    expect(await rig.text('x_plain_echo', { message: 'by hand' })).to.equal('by hand');
  });

  it('restarts only the server whose definition changed', async () => {
    await rig.configure();
    await rig.define({ a: hostile(), b: hostile() });
    await Promise.all([rig.hasTool('x_a_echo'), rig.hasTool('x_b_echo')]);
    const pids = [await pidOf('a'), await pidOf('b')];
    const slow = rig.text('x_b_slow', { ms: 300 });
    await rig.define({
      a: hostile('plain', { env: { X: '1' } }),
      b: hostile('plain', { description: 'new words', toolPrefix: 'bee' }),
    });
    await until('restart of a', () => rig.told('server.connected').length === 3);
    expect(await slow).to.equal('done');
    expect(await pidOf('a')).to.not.equal(pids[0]);
    expect(await rig.text('x_bee_pid')).to.equal(String(pids[1]));
    expect(rig.tools()).to.not.include('x_b_echo');
  });

  it('lets running calls end before an edited server is replaced, and new calls wait for it', async () => {
    await rig.configure();
    await rig.define({ s: hostile() });
    await rig.hasTool('x_s_echo');
    const slow = rig.text('x_s_slow', { ms: 300 });
    await rig.text('x_s_echo');
    await rig.define({ s: hostile('resultFirst') });
    const next = rig.text('x_s_echo', { message: 'new' });
    expect(await slow).to.equal('done');
    expect(await next).to.equal('new');
  });

  it('fails the running calls at once when the server dies while it is replaced', async () => {
    await rig.configure({ drainMs: 60_000 });
    await rig.define({ s: hostile() });
    await rig.hasTool('x_s_echo');
    const pid = await pidOf('s');
    const cut = rig.refusal('x_s_never');
    await rig.text('x_s_echo');
    await rig.define({ s: hostile('resultFirst') });
    const next = rig.text('x_s_echo', { message: 'new' });
    process.kill(pid, 'SIGKILL');
    expect((await cut).message)
      .to.contain('was ended by SIGKILL')
      .and.to.contain('may have run');
    expect(await next).to.equal('new');
    await rig.reaches('s', 'running');
    const states = rig.told('server.stateChanged').map(({ state }) => state);
    expect(states).to.deep.equal(['starting', 'ready', 'stopping', 'stopped', 'starting', 'ready']);
    expect(rig.told('server.failed')).to.deep.equal([]);
    expect(rig.told('server.disconnected')).to.have.length(1);
  });

  it('restarts once per restartRequestedAt, for a newer one only, and lastRestartedAt never decreases', async () => {
    await rig.configure();
    await rig.define({ s: hostile() });
    await rig.hasTool('x_s_echo');
    const ask = (restartRequestedAt: string): Promise<void> =>
      rig.define({ s: hostile('plain', { restartRequestedAt }) });
    const [first, second] = ['2026-01-02T03:04:05Z', '2026-01-02T03:04:06Z'];
    await ask(first);
    await until('restart', () => rig.told('server.connected').length === 2);
    const pid = await pidOf('s');
    for (const at of [first, '2026-01-02T04:04:05+01:00', '2026-01-02T03:04:04Z', '2020-01-01T00:00:00Z'])
      await ask(at);
    expect(await pidOf('s')).to.equal(pid);
    expect(rig.status('s').metadata).to.include({ lastRestartedAt: first });
    expect(rig.told('server.restarting')).to.have.length(1);
    await ask(second);
    await until('another restart', () => rig.told('server.connected').length === 3);
    expect(rig.status('s').metadata).to.include({ lastRestartedAt: second });
    expect(await pidOf('s')).to.not.equal(pid);
  });

  it('does not restart for a time before the restart that core_service_restart requested', async () => {
    await rig.configure();
    await rig.define({ s: hostile() });
    await rig.hasTool('x_s_echo');
    await rig.service('s').restart?.();
    const { lastRestartedAt } = rig.status('s').metadata;
    const pid = await pidOf('s');
    await rig.define({ s: hostile('plain', { restartRequestedAt: '2026-01-02T03:04:05Z' }) });
    expect(await pidOf('s')).to.equal(pid);
    expect(rig.status('s').metadata).to.include({ lastRestartedAt });
  });

  it('removes the tools of a stopped or removed server and gives the reason', async () => {
    await rig.configure();
    await rig.define({ s: hostile(), t: hostile() });
    await Promise.all([rig.hasTool('x_s_echo'), rig.hasTool('x_t_echo')]);
    await rig.define({ s: hostile('plain', { suspended: true }) });
    await rig.reaches('s', 'stopped');
    expect(rig.tools()).to.deep.equal([]);
    expect(rig.refused('x_s_echo'))
      .to.contain('server not found: s (stopped)')
      .and.to.contain('core_service_start');
    expect(rig.refused('x_t_echo')).to.contain('TOOL_NOT_FOUND: server not found: t');
    await rig.define({ s: hostile() });
    await rig.hasTool('x_s_echo');
    expect(rig.refused('x_s_echo')).to.equal('');
  });

  it('applies a changed configuration without dropping a connection', async () => {
    await rig.configure();
    await rig.define({ s: hostile() });
    await rig.hasTool('x_s_echo');
    const pid = await pidOf('s');
    await rig.configure({ servicePrefix: 'y', callTimeoutMs: 1_000 });
    expect(await rig.text('y_s_pid')).to.equal(String(pid));
  });

  it('has as many processes as servers after many restarts', async () => {
    await rig.configure();
    await rig.define({ s: hostile() });
    await rig.hasTool('x_s_echo');
    const pids = [await pidOf('s')];
    for (let round = 0; round < 8; round += 1) {
      await rig.service('s').restart?.();
      pids.push(await pidOf('s'));
    }
    await until('one left', () => pids.filter(isAlive).length === 1);
  });

  it('keeps the last good catalogue over a restart of Pegboard, as stale', async () => {
    const folder = temporaryFolder();
    rig = new Rig(folder.path);
    await rig.configure();
    await rig.define({ s: hostile() });
    await rig.hasTool('x_s_echo');
    await rig.stop();
    rig = new Rig(folder.path);
    await rig.configure();
    await rig.define({ s: hostile() });
    expect(rig.tools()).to.include('x_s_echo');
    await rig.hasTool('x_s_echo');
    await rig.define({});
    await rig.stop();
    rig = new Rig(folder.path);
    await rig.configure();
    await rig.define({ s: hostile('mute') });
    expect(rig.tools()).to.deep.equal([]);
    folder.remove();
  });

  describe('when the process that runs it is killed', () => {
    const script = 'while read -r op group';
    let file: string;
    let parent: ChildProcess;
    let family: readonly number[];
    const watchdogs = (): readonly number[] =>
      processesNaming(script).filter((pid) => processesBelow(Number(parent.pid)).includes(pid));

    beforeEach(async () => {
      const folder = temporaryFolder();
      defer(() => folder.remove());
      file = join(folder.path, 'pids');
      const host = programAt('test/plugins/upstream/host.ts');
      parent = spawn(process.execPath, [...host, file], { stdio: 'ignore' });
      defer(() => parent.kill('SIGKILL'));
      await until('the family', () => existsSync(file) && readFileSync(file, 'utf8').includes(' '), 10_000);
      family = readFileSync(file, 'utf8').split(' ').map(Number);
      expect(family.map(isAlive)).to.deep.equal([true, true]);
    });

    it('leaves no process running', async () => {
      parent.kill('SIGKILL');
      await until('no survivor', () => !family.some(isAlive));
    });

    it('leaves no process running even if its watchdog was killed', async () => {
      const [former] = watchdogs();
      process.kill(Number(former), 'SIGKILL');
      await until('another watchdog', () => watchdogs().some((pid) => pid !== former));
      parent.kill('SIGUSR2');
      await until('the report of the family', () => existsSync(`${file}.on`));
      const [next] = watchdogs();
      parent.kill('SIGKILL');
      await until('no survivor', () => ![...family, Number(next)].some(isAlive));
    });
  });
});
