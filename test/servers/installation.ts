import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../support/sources.ts';
import type { Sdk } from './sdks.ts';

/** Registries that do not answer must not keep anything waiting for longer. */
const LIMIT_MS = 240_000;
const CACHE = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
/** Written last: a folder without it is incomplete. */
const STAMP = 'installed';

/** Outside of any clone; what decides its content names it. */
export function folderOf({ folder, recipe }: Sdk): string {
  const { commands = [], sources = [] } = recipe ?? {};
  const texts = sources.map((source) => readFileSync(join(sourceOf(folder), source), 'utf8'));
  const facts = [process.platform, process.arch, commands, texts];
  const stamp = createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 16);
  return join(CACHE, 'pegboard', `servers-${folder}`, stamp);
}

/** One that npm has installed is always there. */
export function isInstalled(sdk: Sdk): boolean {
  return sdk.recipe === undefined || existsSync(join(folderOf(sdk), STAMP));
}

/** @returns false when a command fails or takes too long; it has printed why */
export async function install(sdk: Sdk): Promise<boolean> {
  const folder = folderOf(sdk);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const env = { ...process.env, FOLDER: folder };
  for (const command of sdk.recipe?.commands ?? []) {
    const child = spawn('sh', ['-c', command], {
      cwd: sourceOf(sdk.folder),
      env,
      // Standard output is for the results.
      stdio: ['ignore', 2, 2],
      timeout: LIMIT_MS,
      killSignal: 'SIGKILL',
    });
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    if (code !== 0) return false;
  }
  writeFileSync(join(folder, STAMP), '');
  return true;
}

function sourceOf(folder: string): string {
  return join(ROOT, 'test/servers', folder);
}
