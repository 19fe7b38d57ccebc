#!/usr/bin/env node
import { readFileSync } from 'node:fs';

// Nothing of ours is imported before this: an older Node may not even be able to parse it.
const manifest = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
const { engines } = JSON.parse(manifest) as { readonly engines: { readonly node: string } };
const versions = [engines.node, process.versions.node].map((text) => text.match(/\d+/g)?.map(Number) ?? []);
const [[major = 0, minor = 0] = [], [ownMajor = 0, ownMinor = 0] = []] = versions;
if (ownMajor < major || (ownMajor === major && ownMinor < minor)) {
  const text = `needs Node ${major}.${minor} or newer, and this is Node ${process.versions.node}`;
  process.stderr.write(`pegboard: ${text}\n`);
  process.exitCode = 1;
} else await import('./main.ts');
