import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { JsonObject } from '../../../kernel/index.ts';
import { defer } from '../../support/cleanup.ts';
import { sha256, sha512, startPackageRegistry } from '../../support/packageRegistry.ts';
import type { PackageRegistry } from '../../support/packageRegistry.ts';
import { Rig, hostile, temporaryFolder, until } from './support.ts';

describe('upstream: a package whose content is pinned', () => {
  let rig: Rig;
  let folder: string;
  let registry: PackageRegistry;
  const archive = Buffer.from('the archive');
  beforeEach(async () => {
    const { path, remove } = temporaryFolder();
    defer(remove);
    folder = path;
    rig = new Rig(join(folder, 'state'));
    registry = await startPackageRegistry();
    writeFileSync(join(folder, 'open'), '');
    await rig.configure();
  });
  afterEach(() => rig.stop());

  /** A server that a runner runs, which writes its words and the content of their file to `started`. */
  const runner = (name: string, words: readonly string[], source: JsonObject): JsonObject => {
    const file = join(folder, name);
    const script = `#!/bin/sh\nwhile [ "$1" != -- ]; do echo "$1" >> ${folder}/started; shift; done; shift\nexec "$@"\n`;
    writeFileSync(file, script);
    chmodSync(file, 0o755);
    const { command, ...spec } = hostile('gated', { env: registry.env, source }, join(folder, 'open'));
    return { ...spec, command: [file, ...words, '--', ...(command as string[])] };
  };
  const started = (): readonly string[] =>
    existsSync(join(folder, 'started'))
      ? readFileSync(join(folder, 'started'), 'utf8').trim().split('\n')
      : [];
  const npm = (integrity = sha512(archive)): JsonObject =>
    runner('npx', ['-y', 'notes@1.0.0'], { registry: 'npm', name: 'notes', version: '1.0.0', integrity });

  it('is run from the file that was checked, and asks no registry at later starts', async () => {
    registry.npm.push({ name: 'notes', version: '1.0.0', archive });
    await rig.define({ s: npm() });
    await rig.reaches('s', 'running');
    const [flag, file = ''] = started();
    expect(flag).equal('-y');
    expect(file).match(/^file:\/.*\/packages\/[0-9a-f]{32}\/notes-1\.0\.0\.tgz$/);
    expect(readFileSync(file.slice('file:'.length))).deep.equal(archive);
    expect(registry.asked).deep.equal(['/npm/notes', '/archives/notes-1.0.0.tgz']);
    await registry.close();
    await rig.define({ s: { ...npm(), description: 'x', restartRequestedAt: new Date().toISOString() } });
    await until('it starts again', () => started().length === 4);
    expect(registry.asked).length(2);
  });

  it('is not run if the registry has another hash, or sends another content', async () => {
    const other = Buffer.from('another archive');
    registry.npm.push({ name: 'notes', version: '1.0.0', archive: other });
    await rig.define({ s: npm() });
    await rig.reaches('s', 'failed');
    expect(rig.status('s').error).match(
      /notes 1\.0\.0 is not what was pinned: the registry has another hash for it/,
    );
    // It declares what is pinned, and sends something else.
    const liar = { name: 'liar', version: '1.0.0', archive: other, declares: archive };
    registry.npm.push(liar);
    const source = { registry: 'npm', name: 'liar', version: '1.0.0', integrity: sha512(archive) };
    await rig.define({ t: runner('npx', ['-y', 'liar@1.0.0'], source) });
    await rig.reaches('t', 'failed');
    expect(rig.status('t').error).match(
      /liar 1\.0\.0 is not what was pinned: its archive has another content/,
    );
    expect(started()).deep.equal([]);
  });

  it('is not run if what references hold makes the command run another one', async () => {
    registry.npm.push({ name: 'notes', version: '1.0.0', archive });
    writeFileSync(join(folder, 'flag'), '-c');
    const source = { registry: 'npm', name: 'notes', version: '1.0.0', integrity: sha512(archive) };
    await rig.define({ s: runner('npx', [`--cache=\${file:${folder}/flag}`, 'notes@1.0.0'], source) });
    await rig.reaches('s', 'running');
    const words = [`-\${env:PEGBOARD_UNSET:-c}`, 'notes@1.0.0'];
    await rig.define({ t: runner('npx', words, source) });
    await rig.reaches('t', 'failed');
    expect(rig.status('t').error).contain('source names notes, but the command runs no package');
    expect(started()).not.contain('-c');
  });

  it('is fetched again if the file that is kept has changed', async () => {
    registry.npm.push({ name: 'notes', version: '1.0.0', archive });
    await rig.define({ s: npm() });
    await rig.reaches('s', 'running');
    const file = (started()[1] ?? '').slice('file:'.length);
    writeFileSync(file, 'changed');
    await rig.define({ s: { ...npm(), restartRequestedAt: new Date().toISOString() } });
    await until('it starts again', () => started().length === 4);
    expect(readFileSync(file)).deep.equal(archive);
    expect(readdirSync(join(file, '..'))).deep.equal(['notes-1.0.0.tgz']);
  });

  it('is run by uvx from its wheel, with the name of its program', async () => {
    registry.pypi.push({ name: 'mcp-python', version: '1.0', archive });
    const source = {
      registry: 'pypi',
      name: 'mcp-python',
      version: '1.0',
      integrity: `sha256:${sha256(archive)}`,
    };
    await rig.define({ s: runner('uvx', ['mcp-python==1.0'], source) });
    await rig.reaches('s', 'running');
    const [flag, file = '', program] = started();
    expect([flag, program]).deep.equal(['--from', 'mcp-python']);
    expect(file).match(/\/mcp_python-1\.0-py3-none-any\.whl$/);
  });

  it('leaves behind no archives that were not used for 90 days', async () => {
    registry.npm.push({ name: 'notes', version: '1.0.0', archive });
    const [old, recent] = ['old', 'recent'].map((name) => join(folder, 'state/packages', name));
    for (const [path = '', days] of [
      [old, 91],
      [recent, 89],
    ] as const) {
      mkdirSync(path, { recursive: true });
      const time = new Date(Date.now() - days * 86_400_000);
      utimesSync(path, time, time);
    }
    await rig.define({ s: npm() });
    await rig.reaches('s', 'running');
    expect([existsSync(old ?? ''), existsSync(recent ?? '')]).deep.equal([false, true]);
  });

  it('waits for a registry that is away', async () => {
    await registry.close();
    await rig.define({ s: npm() });
    await rig.reaches('s', 'failed');
    expect(rig.status('s').error).contain('its package cannot be checked: the registry at 127.0.0.1');
  });
});
