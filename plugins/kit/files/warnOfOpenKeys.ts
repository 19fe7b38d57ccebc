import { join } from 'node:path';
import { statSync } from 'node:fs';
import type { Log } from 'pegboard';

const OTHERS = 0o077;

/** Warns if others than the owner may read the keys for a use, should the state folder be opened or copied. */
export function warnOfOpenKeys(stateDirectory: string | undefined, use: 'session' | 'vault', log: Log): void {
  if (stateDirectory !== undefined) warnOfOpenKeyFile(join(stateDirectory, `${use}-keys.json`), log);
}

/** Warns if others than the owner may open the state directory: its files are for the owner alone, their names are not. */
export function warnOfOpenState(directory: string, log: Log): void {
  warnOfOpen(
    directory,
    'the state directory is open to others on this machine',
    `chmod 700 ${directory}`,
    log,
  );
}

/** Warns if others than the owner may read the file. */
export function warnOfOpenKeyFile(file: string, log: Log): void {
  warnOfOpen(file, 'a key file is open to others on this machine', `chmod 600 ${file}`, log);
}

function warnOfOpen(file: string, text: string, fix: string, log: Log): void {
  // Windows has no such modes.
  if (process.platform === 'win32') return;
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & OTHERS) === 0) return;
  log.warn(text, { file, mode: (mode & 0o777).toString(8).padStart(4, '0'), fix });
}
