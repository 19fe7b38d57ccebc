import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { certificates } from './environment.ts';

const run = promisify(execFile);

/** Packs a package as its author would ship it. @param folder receives the tarball @returns the tarball's path */
export async function pack(source: string, folder: string, flags: readonly string[] = []): Promise<string> {
  const { stdout } = await run('npm', ['pack', source, '--silent', ...flags, '--pack-destination', folder]);
  return join(folder, stdout.trim().split('\n').at(-1) ?? '');
}

/** Installs tarballs; their dependencies come from the registry, or from npm's cache. */
export async function install(
  prefix: string,
  tarballs: readonly string[],
  flags: readonly string[] = ['--prefer-offline'],
): Promise<void> {
  await run('npm', ['install', '--prefix', prefix, ...flags, '--no-audit', '--no-fund', ...tarballs], {
    env: { ...process.env, ...certificates },
  });
}

/** Links to a folder, unless the path exists. */
export function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  if (!existsSync(path)) symlinkSync(target, path);
}
