// Builds etcd and kube-apiserver into the user's cache folder, unless they are there.
import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { releaseLock, takeLock } from '../../../plugins/cli/fileLock.ts';
import { COMMANDS, MODULE, binaryFolder, hasBinaries, versionFlags } from './binaries.ts';

const POLL_MS = 1_000;

const folder = binaryFolder();
if (!hasBinaries()) await buildOnce(`${folder}.lock`);
console.log(`${COMMANDS.join(' and ')} are in ${folder}`);

/** Of two processes, the second waits for the first. */
async function buildOnce(lock: string): Promise<void> {
  mkdirSync(dirname(folder), { recursive: true });
  for (let holder = await takeLock(lock), said = false; holder !== undefined; holder = await takeLock(lock)) {
    if (!said) console.log(`process ${holder} builds them; waiting for it`);
    said = true;
    await pause(POLL_MS);
  }
  try {
    if (!hasBinaries()) build();
  } finally {
    await releaseLock(lock);
  }
}

/** Takes minutes, and 1.8 GB in one process. @throws Error where Go is missing or fails; Go has printed why */
function build(): void {
  const draft = `${folder}.new`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft);
  // Tests run at the same time.
  setPriority(constants.priority.PRIORITY_LOW);
  const flags = ['-trimpath', '-buildvcs=false', '-mod=readonly', '-ldflags', versionFlags()];
  const packages = COMMANDS.map((command) => `./${command}`);
  const { status, error } = spawnSync('go', ['build', ...flags, '-o', draft, ...packages], {
    cwd: MODULE,
    env: { ...process.env, CGO_ENABLED: '0' },
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('go cannot build kube-apiserver', { cause: error });
  renameSync(draft, folder);
}
