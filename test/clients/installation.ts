import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Program } from './clients.ts';

const CACHE = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
/** Outside of any clone, so that a new clone finds them. */
const FOLDER = join(CACHE, 'pegboard-clients');
/** Written last: a folder without it is incomplete. */
const STAMP = 'installed';

export function folderOf({ name, version }: Program): string {
  return join(FOLDER, `${name.toLowerCase().replaceAll(' ', '-')}-${version}`);
}

export function isInstalled(program: Program): boolean {
  const stamp = join(folderOf(program), STAMP);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === specOf(program);
}

/** Installs from npm's registry, with install scripts, which some need for their programs. @throws when npm fails */
export function install(program: Program): void {
  const folder = folderOf(program);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const flags = ['--no-audit', '--no-fund', '--no-save', '--loglevel', 'error'];
  const { status } = spawnSync('npm', ['install', '--prefix', folder, ...flags, specOf(program)], {
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error(`npm cannot install ${specOf(program)}`);
  writeFileSync(join(folder, STAMP), specOf(program));
}

/** The program at the version that the registry calls the newest. @throws when npm does not know */
export function newest<P extends Program>(program: P): P {
  const { stdout } = spawnSync('npm', ['view', program.package, 'version'], { encoding: 'utf8' });
  const version = stdout.trim();
  if (version === '') throw new Error(`npm does not know the newest version of ${program.package}`);
  return { ...program, version };
}

function specOf(program: Program): string {
  return `${program.package}@${program.version}`;
}
