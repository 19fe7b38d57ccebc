import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { Vault } from '../../../plugins/contracts/vault.ts';
import { StateDirectory } from '../../../kernel/contracts/config.ts';
import { isLock, tryLock } from '../../../plugins/vault-file/lock.ts';
import { plugin } from '../../../plugins/vault-file/index.ts';
import { plugin as memory } from '../../../plugins/vault-memory/index.ts';
import { validate } from '../../../kernel/config/validate.ts';
import { defer } from '../../support/cleanup.ts';
import { makeDirectory } from '../../support/directory.ts';
import { bootGateway } from '../../support/gateway.ts';
import { makeKernel, refusalOf } from '../../support/kernel.ts';
import type { CapturedLog } from '../../support/log.ts';
import type { Kernel } from '../../../kernel/kernel.ts';

/** Sets runs:1, sets and deletes runs:2, sets ключ. */
const LOG_OF_0_1_0 =
  'UEVHVkxUMQpg5WEXEL14C7T23DTXgwKr32jUfOtLpg7U0J+YAC8X3lBCcjFg5WEXAAAAI+qbKB0NTVIhN33woTb0AO4A6Tda1fZfb5WWYoaUydcc4fUXSHvC' +
  'uiFirYWIrGtDkdBC23SZO9bzfkdETSiBjFBCcjFg5WEXAAAAGUdQPjv6KJkclOovVwqmPqiqG5aOTmLOfFX5FLsMCoRp5rBDBTGhcAktnJcOLH9hzQY10lzO' +
  'UEJyMWDlYRcAAAATMVjhJ9RDpLj9+MPYcYdvQ/l31m9/3yKNm0XjIa6q9Sz5q0nbxLatGA2qZ/Vz12RQQnIxYOVhFwAAAB3GhgSulvh9Oo+mrkMbt/x5IraD' +
  'NCvYAnTHMCXv23vBtSZKYSDAGFgAd7l++JWJyRBYFiy7v//CZPI=';

interface Running {
  readonly kernel: Kernel;
  readonly log: CapturedLog;
  readonly vault: () => Vault;
}

async function start(path: string | undefined, config: Record<string, unknown> = {}): Promise<Running> {
  const { kernel, log } = makeKernel({ provisions: [{ id: StateDirectory.id, value: { path } }] });
  await kernel.move([{ plugin, config: validate(plugin.configSchema, config).value }]);
  return { kernel, log, vault: () => kernel.registry.get(Vault.id) as Vault };
}

describe('plugins/vault-file: opening', () => {
  it('keeps everything private and leaves no lock when it stops', async () => {
    const { path, at } = makeDirectory();
    const { kernel, vault } = await start(path);
    await vault().set('code:secret-id', 'secret value');
    expect(readdirSync(at('vault')).filter((name) => name.startsWith('lock.'))).to.have.length(1);
    await kernel.stop();
    expect(readdirSync(at('vault'))).to.deep.equal(['vault.log']);
    expect(statSync(at('vault')).mode & 0o777).to.equal(0o700);
    for (const file of ['vault/vault.log', 'vault-keys.json'])
      expect(statSync(at(file)).mode & 0o777).to.equal(0o600);
    const text = readFileSync(at('vault/vault.log'), 'latin1');
    for (const word of ['secret', 'code', 'value']) expect(text).to.not.contain(word);
  });

  it('works in memory and warns without a state directory', async () => {
    const { vault, log } = await start(undefined);
    expect(log.having('will not survive', 'warn')).to.have.length(1);
    expect(vault().isLasting).to.equal(false);
    await vault().set('note:a', { a: 1 });
    expect(await vault().take('note:a')).to.deep.equal({ a: 1 });
  });

  it('lets calls of a second process wait until the first ends', async () => {
    const { path } = makeDirectory();
    const first = await start(path);
    await first.vault().set('note:a', 'from the first');
    const second = await start(path, { lockPollMs: 10 });
    expect(second.log.having('another process holds the vault', 'warn')[0]?.data).to.include({
      pid: process.pid,
    });
    const waiting = second.vault().get('note:a');
    const late = first.vault().set('note:b', 'at the last moment');
    await first.kernel.stop();
    await late;
    expect(await waiting).to.equal('from the first');
    expect(await second.vault().list('')).to.deep.equal(['note:a', 'note:b']);
    expect((await refusalOf(() => first.vault().get('note:a'))).code).to.equal('PLUGIN_MISSING');
  });

  it('refuses with the holder and the next step when the wait is over, and opens once the lock is free', async () => {
    const { path } = makeDirectory();
    const first = await start(path);
    const second = await start(path, { lockPollMs: 10, lockWaitMs: 20 });
    const refusal = await refusalOf(() => second.vault().get('note:a'));
    expect(refusal.code).to.equal('STORE_UNREACHABLE');
    expect(refusal.message).to.contain(`process ${process.pid}`).and.contain('--state-path');
    await first.kernel.stop();
    await second.log.heard('the vault is open');
    await second.vault().set('note:a', 1);
  });

  it('can be stopped while it waits, and fails the calls that wait', async () => {
    const { path } = makeDirectory();
    await start(path);
    const second = await start(path);
    const waiting = refusalOf(() => second.vault().get('note:a'));
    await second.kernel.stop();
    expect((await waiting).code).to.equal('STORE_UNREACHABLE');
  });

  it('stops writing when its lock is taken away, and writes again when it can', async () => {
    const { path, at } = makeDirectory();
    const { vault, log } = await start(path, { lockStaleMs: 1000, lockPollMs: 10 });
    await vault().set('note:a', 1);
    for (const name of readdirSync(at('vault'))) if (name.startsWith('lock.')) rmSync(at(`vault/${name}`));
    await log.heard('removed the lock');
    await log.heard('the vault is open');
    expect(await vault().get('note:a')).to.equal(1);
  });

  it('opens what version 0.1.0 has written', async () => {
    const { path, at } = makeDirectory();
    const key = { id: '60e56117', key: 'Da5qmA5H9E1DVtldxqaNvE0vFuiAGaCbKL/RbqbiupY=' };
    writeFileSync(at('vault-keys.json'), JSON.stringify({ keys: [key] }), { mode: 0o600 });
    mkdirSync(at('vault'));
    writeFileSync(at('vault/vault.log'), Buffer.from(LOG_OF_0_1_0, 'base64'));
    const { vault, log } = await start(path);
    expect(await vault().list('')).to.deep.equal(['runs:1', 'ключ']);
    expect(await vault().get('runs:1')).to.deep.equal({ state: 'done' });
    expect(await vault().get('ключ')).to.deep.equal(['ü', 1]);
    expect(log.records).to.deep.equal([]);
  });

  it('does not start with an invalid key file, and does not show its content', async () => {
    const { path, write, at } = makeDirectory();
    write('vault-keys.json', '{"keys":[{"id":"secret","key":"secret"}]}');
    const refusal = await refusalOf(() => start(path));
    expect(refusal.message).to.contain('vault-keys.json').and.contain('restore it').and.not.contain('secret');
    expect(readdirSync(at('vault'))).to.deep.equal([]);
  });

  it('is the vault unless config.yaml names the other one, and never both run', async () => {
    const builtIns = ['vault-file', 'vault-memory'];
    const { kernel } = await bootGateway({ builtIns, files: { 'config.yaml': '' } });
    const owners = (of: Kernel): unknown[] =>
      of.running.filter(({ plugin }) => plugin.provides?.includes(Vault)).map(({ plugin }) => plugin.name);
    expect(owners(kernel)).to.deep.equal(['vault-file']);
    const config = 'plugins: {vault-file: false, vault-memory: {config: {maxEntries: 5}}}\n';
    const other = await bootGateway({ builtIns, files: { 'config.yaml': config } });
    expect(owners(other.kernel)).to.deep.equal(['vault-memory']);
    const both = await bootGateway({
      builtIns,
      files: { 'config.yaml': 'plugins: {vault-memory: true}\n' },
    }).catch((error: unknown) => error);
    expect(both).to.be.an('error');
    expect(memory.name).to.equal('vault-memory');
  });
});

describe('plugins/vault-file: lock', () => {
  it('is held by one of many that try at once', async () => {
    const { path } = makeDirectory();
    for (let round = 0; round < 20; round += 1) {
      const attempts = await Promise.all(Array.from({ length: 5 }, () => tryLock(path, 1000)));
      const locks = attempts.filter(isLock);
      expect(locks.length).to.be.lessThan(2);
      for (const lock of locks) await lock.release();
      expect(readdirSync(path)).to.deep.equal([]);
    }
  });

  it('is taken over from a killed process, also when another process has its pid now', async () => {
    const { path, at } = makeDirectory();
    const child = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1e6)'], { env: {} });
    defer(() => child.kill('SIGKILL'));
    const own = await tryLock(path, 1000);
    const [, place = ''] = isLock(own) ? (/lock\.(\w+)\./.exec(own.file) ?? []) : [];
    if (isLock(own)) await own.release();
    writeFileSync(at(`lock.${place}.${child.pid ?? 0}.1.00000000`), '');
    const second = await tryLock(path, 1000);
    expect(isLock(second), 'the process began at another time').to.equal(true);
    if (isLock(second)) await second.release();
    child.kill('SIGKILL');
    await once(child, 'exit');
    writeFileSync(at(`lock.${place}.${child.pid ?? 0}.0.00000000`), '');
    expect(isLock(await tryLock(path, 1000))).to.equal(true);
  });

  it('of another machine is taken over when it shows no sign of life', async () => {
    const { path, at } = makeDirectory();
    const file = at('lock.aaaaaaaaaaaa.1.5.00000000');
    writeFileSync(file, '');
    expect(await tryLock(path, 10_000)).to.include({ pid: 1, place: 'aaaaaaaaaaaa' });
    const past = new Date(Date.now() - 11_000);
    utimesSync(file, past, past);
    expect(isLock(await tryLock(path, 10_000))).to.equal(true);
  });
});
