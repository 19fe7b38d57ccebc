import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../sources.ts';

/** The Go module that builds them. */
export const MODULE = join(ROOT, 'test/support/kube');
export const COMMANDS = ['etcd', 'kube-apiserver'] as const;
/** What to type where they are missing. */
export const NO_KUBE =
  'SKIPPED: no kube-apiserver here; build it once with: npm run kube:build (needs Go 1.26 and about six minutes)';

const VERSION = /k8s\.io\/kubernetes v(1\.(\d+)\.\d+)$/m;
const CACHE = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');

/** Without them the server calls itself v0.0.0-master, which the kubeVersion of a chart refuses. */
export function versionFlags(): string {
  const [, version = '', minor = ''] = VERSION.exec(textOf('go.mod')) ?? [];
  const facts = { gitVersion: `v${version}`, gitMajor: '1', gitMinor: minor };
  const flags = Object.entries(facts).map(
    ([name, fact]) => `-X k8s.io/component-base/version.${name}=${fact}`,
  );
  return ['-s -w', ...flags].join(' ');
}

/** Outside of any clone, so that a new clone finds them. What decides their content names the folder. */
export function binaryFolder(): string {
  const sources = ['go.mod', 'go.sum', ...COMMANDS.map((command) => `${command}/main.go`)].map(textOf);
  const facts = [process.platform, process.arch, versionFlags(), ...sources];
  const stamp = createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 16);
  return join(CACHE, 'pegboard/kube', stamp);
}

/** The folder exists only once it is complete. */
export function hasBinaries(): boolean {
  return existsSync(binaryFolder());
}

/** Skips the suite aloud where the binaries have not been built. */
export function needKube(suite: Mocha.Context): void {
  if (hasBinaries()) return;
  console.log(NO_KUBE);
  suite.skip();
}

function textOf(name: string): string {
  return readFileSync(join(MODULE, name), 'utf8');
}
