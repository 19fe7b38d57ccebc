import { mkdirSync, promises, renameSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { watchDirectory } from '../../../plugins/live-reload/watchDirectory.ts';
import type { WatchOptions } from '../../../plugins/live-reload/watchDirectory.ts';
import { defer } from '../../support/cleanup.ts';
import { makeDirectory } from '../../support/directory.ts';
import type { Directory, Files } from '../../support/directory.ts';
import { until } from '../../support/until.ts';

const FAST: WatchOptions = { settleMs: 10, atMostMs: 50, rescanMs: 50 };
/** Long enough for a wrong notification to have fired: settle, deadline and rescan are over. */
const QUIET_MS = 120;

/** A watched directory, ready: its first change has been notified. */
async function watched(files: Files = {}, options = FAST) {
  const directory = makeDirectory({ 'config.yaml': '', 'things/a.yaml': 'a: 1\n', ...files });
  const bell = { rings: 0 };
  defer(watchDirectory(directory.path, () => (bell.rings += 1), options));
  directory.write('ready.yaml', '');
  await until(() => bell.rings > 0, { what: 'the first ring' });
  await calm(bell);
  return { directory, bell };
}
/** Waits until notifications have stopped for a while, and resets their count. */
async function calm(bell: { rings: number }): Promise<void> {
  let seen = -1;
  while (seen !== bell.rings) {
    seen = bell.rings;
    await pause(QUIET_MS);
  }
  bell.rings = 0;
}

function manyFiles(count: number): Files {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`things/t${at}.yaml`, 'a: 1\n']));
}

/** Waits until twenty scans in a row have asked for the facts of a hundred paths each, or less, on average. */
async function restsWith(files: number): Promise<void> {
  const { directory } = await watched(manyFiles(files));
  const before = new Date(Date.now() - 60_000);
  for (const folder of [directory.path, directory.at('things')]) utimesSync(folder, before, before);
  let looks: string[] = [];
  const isRest = (): boolean => {
    const scans = looks.filter((path) => path === directory.path).length;
    if (scans < 20) return false;
    const mean = looks.filter((path) => path.startsWith(directory.path)).length / scans;
    looks = [];
    return mean < 110;
  };
  const { stat } = promises;
  promises.stat = ((path: string) => (looks.push(path), stat(path))) as typeof stat;
  syncBuiltinESMExports();
  try {
    await until(isRest, { what: 'a rest', withinMs: 10_000 });
  } finally {
    promises.stat = stat;
    syncBuiltinESMExports();
  }
}

describe('watchDirectory', () => {
  it('fires for a file written, changed or removed, in the directory and one folder deep', async () => {
    const { directory, bell } = await watched();
    const edits: readonly ((directory: Directory) => void)[] = [
      ({ write }) => write('config.yaml', 'namespace: a\n'),
      ({ write }) => write('things/b.yaml', 'a: 1\n'),
      ({ write }) => write('things/a.yaml', 'a: 2\n'),
      ({ remove }) => remove('things/a.yaml'),
      ({ write }) => write('new-folder/c.yaml', 'a: 1\n'),
    ];
    for (const [at, edit] of edits.entries()) {
      edit(directory);
      await until(() => bell.rings > 0, { what: `a ring for edit ${at}` });
      await calm(bell);
    }
  });

  it('fires for a write that happened before it was ready', async () => {
    const directory = makeDirectory({ 'things/a.yaml': 'a: 1\n' });
    const bell = { rings: 0 };
    defer(watchDirectory(directory.path, () => (bell.rings += 1), { ...FAST, rescanMs: 60_000 }));
    directory.write('things/b.yaml', 'a: 1\n');
    await until(() => bell.rings > 0);
  });

  it('fires for an editor that saves by rename', async () => {
    const { directory, bell } = await watched();
    for (let round = 0; round < 3; round += 1) {
      directory.replace('things/a.yaml', `a: ${round}\n`);
      await until(() => bell.rings > 0, { what: `a ring for save ${round}` });
      await calm(bell);
    }
  });

  it('keeps firing after the directory was removed and recreated', async () => {
    const { directory, bell } = await watched();
    for (let round = 0; round < 2; round += 1) {
      rmSync(directory.path, { recursive: true });
      await until(() => bell.rings > 0, { what: 'a ring for the removal' });
      await calm(bell);
      directory.write('things/a.yaml', `a: ${round}\n`);
      await until(() => bell.rings > 0, { what: 'a ring for the new directory' });
      await calm(bell);
      directory.write('things/b.yaml', `a: ${round}\n`);
      await until(() => bell.rings > 0, { what: 'a ring within the new directory' });
      await calm(bell);
    }
  });

  it('keeps firing after a folder was removed and recreated at once', async () => {
    const { directory, bell } = await watched();
    rmSync(directory.at('things'), { recursive: true });
    directory.write('things/a.yaml', 'a: 2\n');
    await until(() => bell.rings > 0);
    await calm(bell);
    directory.write('things/a.yaml', 'a: 3\n');
    await until(() => bell.rings > 0, { what: 'a ring within the new folder' });
  });

  it('keeps firing after a folder was replaced by another one', async () => {
    const { directory, bell } = await watched();
    mkdirSync(directory.at('.next'));
    directory.write('.next/a.yaml', 'a: 22\n');
    renameSync(directory.at('things'), directory.at('.former'));
    renameSync(directory.at('.next'), directory.at('things'));
    await until(() => bell.rings > 0);
    await calm(bell);
    directory.write('things/a.yaml', 'a: 333\n');
    await until(() => bell.rings > 0, { what: 'a ring within the new folder' });
  });

  it('fires for a file elsewhere that a link leads to', async () => {
    const elsewhere = makeDirectory({ 'a.yaml': 'a: 1\n' });
    const { directory, bell } = await watched();
    symlinkSync(elsewhere.at('a.yaml'), directory.at('things/link.yaml'));
    await until(() => bell.rings > 0, { what: 'a ring for the link' });
    await calm(bell);
    elsewhere.write('a.yaml', 'a: 22\n');
    await until(() => bell.rings > 0, { what: 'a ring for its file' });
  });

  it('fires when a mounted ConfigMap swaps its link', async () => {
    const directory = makeDirectory({ '..v1/a.yaml': 'a: 1\n', '..v2/a.yaml': 'a: 2\n' });
    symlinkSync('..v1', directory.at('..data'));
    symlinkSync('..data/a.yaml', directory.at('a.yaml'));
    const bell = { rings: 0 };
    defer(watchDirectory(directory.path, () => (bell.rings += 1), FAST));
    await calm(bell);
    symlinkSync('..v2', directory.at('..data_tmp'));
    renameSync(directory.at('..data_tmp'), directory.at('..data'));
    await until(() => bell.rings > 0, { what: 'a ring for the swap' });
  });

  it('fires when the ConfigMap is mounted as a folder below', async () => {
    const directory = makeDirectory({ 'things/..v1/a.yaml': 'a: 1\n', 'things/..v2/a.yaml': 'a: 2\n' });
    symlinkSync('..v1', directory.at('things/..data'));
    symlinkSync('..data/a.yaml', directory.at('things/a.yaml'));
    const bell = { rings: 0 };
    defer(watchDirectory(directory.path, () => (bell.rings += 1), FAST));
    await calm(bell);
    symlinkSync('..v2', directory.at('things/..data_tmp'));
    renameSync(directory.at('things/..data_tmp'), directory.at('things/..data'));
    await until(() => bell.rings > 0, { what: 'a ring for the swap' });
  });

  it('fires a few times for a burst of 500 writes, the last time after the last write', async () => {
    const { directory, bell } = await watched({}, { settleMs: 20, atMostMs: 100, rescanMs: 100 });
    for (let at = 0; at < 500; at += 1) {
      directory.write(`things/t${at}.yaml`, 'a: 1\n');
      if (at % 50 === 0) await pause(5);
    }
    await until(() => bell.rings > 0);
    let rings = 0;
    while (rings !== bell.rings) {
      rings = bell.rings;
      await pause(QUIET_MS);
    }
    expect(bell.rings).within(1, 20);
  });

  it('fires during writes that never pause', async () => {
    const { directory, bell } = await watched({}, { settleMs: 200, atMostMs: 300, rescanMs: 60_000 });
    const end = performance.now() + 5_000;
    for (let at = 0; bell.rings === 0 && performance.now() < end; at += 1) {
      directory.write('things/a.yaml', `a: ${at}\n`);
      await pause(10);
    }
    expect(bell.rings).above(0);
  });

  it('does not fire for state/, node_modules/ and hidden scratch files by themselves', async () => {
    const { directory, bell } = await watched({ 'state/x.json': '{}', 'node_modules/p/index.js': '' });
    directory.write('state/sessions.json', '{}');
    directory.write('state/deeper/more.yaml', 'a: 1\n');
    directory.write('node_modules/p/package.json', '{}');
    directory.write('node_modules/q.yaml', 'a: 1\n');
    await pause(QUIET_MS);
    expect(bell.rings).to.equal(0);
  });

  it('fires for a directory that is created later', async () => {
    const directory = makeDirectory();
    const bell = { rings: 0 };
    defer(watchDirectory(directory.at('later'), () => (bell.rings += 1), FAST));
    await calm(bell);
    mkdirSync(directory.at('later'));
    directory.write('later/config.yaml', 'namespace: a\n');
    await until(() => bell.rings > 0, { what: 'a ring for the directory' });
  });

  it('looks at about a hundred paths in a scan at rest, however many files there are', async () => {
    for (const files of [90, 1_000]) await restsWith(files);
  });

  it('fires among many files for an edit behind a link', async () => {
    const elsewhere = makeDirectory({ 'a.yaml': 'a: 1\n' });
    const { directory, bell } = await watched(manyFiles(1_000));
    symlinkSync(elsewhere.at('a.yaml'), directory.at('things/link.yaml'));
    await until(() => bell.rings > 0, { what: 'a ring for the link' });
    await calm(bell);
    elsewhere.write('a.yaml', 'a: 22\n');
    await until(() => bell.rings > 0, { what: 'a ring for its file', withinMs: 5_000 });
  });

  it('does not fire after it was closed', async () => {
    const directory = makeDirectory({ 'a.yaml': '' });
    const bell = { rings: 0 };
    const end = watchDirectory(directory.path, () => (bell.rings += 1), FAST);
    directory.write('b.yaml', '');
    await end();
    bell.rings = 0;
    directory.write('c.yaml', '');
    await pause(QUIET_MS);
    expect(bell.rings).to.equal(0);
  });
});
