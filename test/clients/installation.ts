import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Client } from './clients.ts';

const CACHE = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
/** Outside of any clone, so that a new clone finds them. */
const FOLDER = join(CACHE, 'pegboard-clients');
/** Written last: a folder without it is incomplete. */
const STAMP = 'installed';

export function folderOf({ name, version }: Client): string {
  return join(FOLDER, `${name.toLowerCase().replace(' ', '-')}-${version}`);
}

export function isInstalled(client: Client): boolean {
  const stamp = join(folderOf(client), STAMP);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === specOf(client);
}

/** Installs from npm's registry, with install scripts, which some need for their programs. @throws when npm fails */
export function install(client: Client): void {
  const folder = folderOf(client);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const flags = ['--no-audit', '--no-fund', '--no-save', '--loglevel', 'error'];
  const { status } = spawnSync('npm', ['install', '--prefix', folder, ...flags, specOf(client)], {
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error(`npm cannot install ${specOf(client)}`);
  writeFileSync(join(folder, STAMP), specOf(client));
}

function specOf(client: Client): string {
  return `${client.package}@${client.version}`;
}
