// Builds etcd, kube-apiserver, helm, kubectl and Dex into the user's cache folder, and fetches definitions of others, unless they are there.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { releaseLock, takeLock } from '../../../plugins/cli/fileLock.ts';
import { CLIENTS, CRDS, DEX, FOREIGN_CRDS, KUBE, folderOf, isBuilt } from './binaries.ts';
import type { GoModule } from './binaries.ts';

const POLL_MS = 1_000;

// Tests run at the same time.
setPriority(constants.priority.PRIORITY_LOW);
for (const module of [KUBE, CLIENTS, CRDS, DEX]) {
  if (!isBuilt(module)) await buildOnce(module);
  console.log(`${module.name}: ${folderOf(module)}`);
}

/** Builds the module, or waits for another process that builds it. */
async function buildOnce(module: GoModule): Promise<void> {
  const folder = folderOf(module);
  const lock = `${folder}.lock`;
  mkdirSync(dirname(folder), { recursive: true });
  for (let holder = await takeLock(lock), said = false; holder !== undefined; holder = await takeLock(lock)) {
    if (!said) console.log(`process ${holder} builds ${module.name}; waiting for it`);
    said = true;
    await pause(POLL_MS);
  }
  try {
    if (isBuilt(module)) return;
    const draft = `${folder}.new`;
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft);
    if (module.packages.length > 0) compile(module, draft);
    else copyDefinitions(module, draft);
    renameSync(draft, folder);
  } finally {
    await releaseLock(lock);
  }
}

/** Takes minutes, and 1.8 GB in one process. @throws Error where Go is missing or fails; Go has printed why */
function compile({ name, directory, packages, linkerFlags }: GoModule, draft: string): void {
  const flags = ['-trimpath', '-buildvcs=false', '-mod=readonly', '-ldflags', linkerFlags];
  const { status, error } = spawnSync('go', ['build', ...flags, '-o', `${draft}/`, ...packages], {
    cwd: directory,
    env: { ...process.env, CGO_ENABLED: '0' },
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error(`go cannot build ${name}`, { cause: error });
}

function copyDefinitions({ directory }: GoModule, draft: string): void {
  const listed = execFileSync('go', ['mod', 'download', '-json'], { cwd: directory, encoding: 'utf8' });
  const folders = [...listed.matchAll(/"Dir": "([^"]+)"/g)].map(([, folder = '']) => folder);
  for (const path of FOREIGN_CRDS) {
    const source = folders.map((folder) => join(folder, path)).find((file) => existsSync(file));
    if (source === undefined) throw new Error(`no module of ${directory}/go.mod has ${path}`);
    copyFileSync(source, join(draft, basename(path)));
  }
}
