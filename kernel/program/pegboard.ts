#!/usr/bin/env node
import { existsSync } from 'node:fs';
import module from 'node:module';
import { isAbsolute, join } from 'node:path';
import { homeFolder } from '../lib/homeFolder.ts';

// First of all, because without listeners SIGUSR1 opens Node's debugger to every local program, and SIGUSR2 ends the process.
process.on('SIGUSR1', () => undefined).on('SIGUSR2', () => undefined);

// Nothing else of Pegboard is imported before this: an older Node may fail to parse it.
const manifest: unknown = module.createRequire(import.meta.url)('pegboard/package.json');
const { engines } = manifest as { readonly engines: { readonly node: string } };
const versions = [engines.node, process.versions.node].map((text) => text.match(/\d+/g)?.map(Number) ?? []);
const [[major = 0, minor = 0] = [], [ownMajor = 0, ownMinor = 0] = []] = versions;
if (ownMajor < major || (ownMajor === major && ownMinor < minor)) {
  const text = `needs Node ${major}.${minor} or newer, and this is Node ${process.versions.node}`;
  process.stderr.write(`pegboard: ${text}\n`);
  process.exitCode = 1;
} else {
  // Compiled code is cached where Node can (22.8), in the user's own cache folder: a folder in /tmp may belong to another user.
  // The folder must exist: Node 22 loops for ever where it cannot be made.
  const caches = process.env['XDG_CACHE_HOME'] ?? join(homeFolder() ?? '', '.cache');
  const { enableCompileCache } = module as { enableCompileCache?: (directory: string) => unknown };
  if (isAbsolute(caches) && existsSync(caches)) enableCompileCache?.(join(caches, 'pegboard'));
  await import('./main.ts');
}
