#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

// Nothing of ours is imported before this: an older Node may not even be able to parse it.
const manifest = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
const { engines } = JSON.parse(manifest) as { readonly engines: { readonly node: string } };
const versions = [engines.node, process.versions.node].map((text) => text.match(/\d+/g)?.map(Number) ?? []);
const [[major = 0, minor = 0] = [], [ownMajor = 0, ownMinor = 0] = []] = versions;
if (ownMajor < major || (ownMajor === major && ownMinor < minor)) {
  const text = `needs Node ${major}.${minor} or newer, and this is Node ${process.versions.node}`;
  process.stderr.write(`pegboard: ${text}\n`);
  process.exitCode = 1;
} else {
  // A start with compiled code takes half the time. Node 20 has no such cache; what another user could write into is not trusted.
  const caches = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  (module as { enableCompileCache?: (directory: string) => unknown }).enableCompileCache?.(
    join(caches, 'pegboard'),
  );
  await import('./main.ts');
}
