import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../support/sources.ts';
import type { Sdk } from './sdks.ts';

/** What is installed, of an SDK or another program. */
export type Installable = Pick<Sdk, 'folder' | 'recipe'>;

const CACHE = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
/** Written last: a folder without it is incomplete. */
const STAMP = 'installed';

/** Outside of any clone; what decides its content names it. */
export function folderOf({ folder, recipe }: Installable): string {
  const { commands = [], sources = [] } = recipe ?? {};
  const texts = sources.map((source) => readFileSync(join(sourceOf(folder), source), 'utf8'));
  const facts = [process.platform, process.arch, commands, texts];
  const stamp = createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 16);
  return join(CACHE, 'pegboard', `servers-${folder}`, stamp);
}

/** One that npm has installed is always there. */
export function isInstalled(sdk: Installable): boolean {
  return sdk.recipe === undefined || existsSync(join(folderOf(sdk), STAMP));
}

/** @param withinMs for all commands; registries that do not answer keep nothing waiting for longer
 *  @returns false when a command fails or takes too long; it has printed why */
export async function install(sdk: Installable, withinMs: number): Promise<boolean> {
  const folder = folderOf(sdk);
  const end = performance.now() + withinMs;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const place = { cwd: sourceOf(sdk.folder), env: { ...process.env, FOLDER: folder } };
  for (const command of sdk.recipe?.commands ?? [])
    if ((await codeOf(command, place, end - performance.now())) !== 0) return false;
  writeFileSync(join(folder, STAMP), '');
  return true;
}

async function codeOf(command: string, place: object, withinMs: number): Promise<number | null> {
  // A group of its own, so that what the command has started ends with it. Standard output is for the results.
  const child = spawn('sh', ['-c', command], { ...place, detached: true, stdio: ['ignore', 2, 2] });
  const late = setTimeout(
    () => {
      process.stderr.write(`${command} takes too long\n`);
      process.kill(-(child.pid ?? 0), 'SIGKILL');
    },
    Math.max(0, withinMs),
  );
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearTimeout(late);
  return code;
}

function sourceOf(folder: string): string {
  return join(ROOT, 'test/servers', folder);
}
