import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { waitAtMost } from 'pegboard';
import type { Cancellation, JsonObject } from 'pegboard';
import { parseDocument } from 'yaml';
import { Failure } from '../failure.ts';

const TRAIL = ['plugins', 'audit', 'config', 'directory'];

/** How long the trial gateway may take to stop its servers. */
const STOP_MS = 15_000;
const MAX_LINES = 20;

/** Serves a configuration directory beside the running gateway, on a free port and with a state of its own, while `use` runs.
 *  @param use gets the URL, and the state directory @throws Failure with the gateway's last words */
export async function withTrial<T>(
  directory: string,
  cancel: Cancellation,
  use: (url: string, state: string) => Promise<T>,
): Promise<T> {
  const temporary = await mkdtemp(join(tmpdir(), 'pegboard-plan-'));
  // After the second Ctrl-C nothing asynchronous runs any more.
  const clear = (): void => rmSync(temporary, { recursive: true, force: true });
  process.on('exit', clear);
  try {
    const path = await trialDirectory(directory, temporary);
    const state = join(temporary, 'state');
    return await serving(['--config-path', path, '--state-path', state], cancel, (url) => use(url, state));
  } finally {
    process.off('exit', clear);
    clear();
  }
}

async function serving<T>(
  paths: readonly string[],
  cancel: Cancellation,
  use: (url: string) => Promise<T>,
): Promise<T> {
  const place = ['--transport', 'streamable-http', '--host', '127.0.0.1', '--port', '0'];
  // Each worker would start all servers.
  const alone = ['--set', 'plugins.workers=false'];
  const argv = [process.argv[1] ?? '', 'serve', ...paths, ...place, ...alone, '--log-format', 'json'];
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const kill = (): void => void child.kill('SIGKILL');
  // For the gateway, which has no terminal, it would mean a reload.
  const hangUp = (): void => cancel.cancel('SIGHUP');
  process.prependListener('exit', kill).on('SIGHUP', hangUp);
  const unlisten = cancel.onCancel(() => child.kill('SIGTERM'));
  try {
    return await use(await readyUrl(child.stderr, ended));
  } catch (error) {
    throw cancel.reason === undefined ? error : new Failure('interrupted; the trial is stopped');
  } finally {
    unlisten();
    // A second signal would end it before its servers.
    if (cancel.reason === undefined) child.kill('SIGTERM');
    await waitAtMost(STOP_MS, ended);
    kill();
    await ended;
    process.off('exit', kill).off('SIGHUP', hangUp);
  }
}

/** The URL of the ready line. @throws Failure if the gateway ends without one */
async function readyUrl(log: NodeJS.ReadableStream, ended: Promise<void>): Promise<string> {
  const last: string[] = [];
  const ready = new Promise<string>((resolve) =>
    createInterface(log).on('line', (line) => {
      const { text, url } = readLine(line);
      if (text === 'ready') resolve(String(url));
      last.push(String(text));
      if (last.length > MAX_LINES) last.shift();
    }),
  );
  const url = await Promise.race([ready, ended]);
  if (url !== undefined) return url;
  throw new Failure(`the configuration cannot be served: ${last.join('\n')}`);
}

/** Log lines are JSON; what ends a start is plain text. */
function readLine(line: string): JsonObject {
  return line.startsWith('{') ? (JSON.parse(line) as JsonObject) : { text: line };
}

/** The directory that a trial serves: the given one, or, with an audit trail, a folder of links to its files whose config.yaml
 *  puts the trail into `temporary`. Two processes must not write one trail. */
async function trialDirectory(directory: string, temporary: string): Promise<string> {
  const document = parseDocument(await textAt(join(directory, 'config.yaml')));
  if (!document.hasIn(TRAIL)) return directory;
  document.setIn(TRAIL, join(temporary, 'audit'));
  const folder = join(temporary, 'config');
  await mkdir(folder);
  for (const name of await readdir(directory))
    if (name !== 'config.yaml') await symlink(join(directory, name), join(folder, name));
  await writeFile(join(folder, 'config.yaml'), String(document), { mode: 0o600 });
  return folder;
}

async function textAt(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  });
}
