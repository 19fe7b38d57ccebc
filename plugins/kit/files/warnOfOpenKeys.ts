import { join } from 'node:path';
import { statSync } from 'node:fs';
import type { Log } from 'pegboard';

const OTHERS = 0o077;
const NO_GROUP = 0o007;

/** Warns if others than the owner may read the keys for a use, should the state folder be opened or copied. */
export function warnOfOpenKeys(stateDirectory: string | undefined, use: 'session' | 'vault', log: Log): void {
  if (stateDirectory !== undefined) warnOfOpenKeyFile(join(stateDirectory, `${use}-keys.json`), log);
}

/** Warns if others may open the state directory: its files are for the owner alone, their names are not. One that belongs to another
 *  user is used through its group, as Kubernetes prepares it. */
export function warnOfOpenState(directory: string, log: Log): void {
  const isOurs = statSync(directory, { throwIfNoEntry: false })?.uid === process.geteuid?.();
  const [bits, fix] = isOurs ? [OTHERS, `chmod 700 ${directory}`] : [NO_GROUP, `chmod o-rwx ${directory}`];
  warnOfOpen(directory, { text: 'the state directory is open to others on this machine', fix, bits }, log);
}

/** Warns if others than the owner may read the file. */
export function warnOfOpenKeyFile(file: string, log: Log): void {
  const text = 'a key file is open to others on this machine';
  warnOfOpen(file, { text, fix: `chmod 600 ${file}`, bits: OTHERS }, log);
}

function warnOfOpen(
  file: string,
  { text, fix, bits }: { readonly text: string; readonly fix: string; readonly bits: number },
  log: Log,
): void {
  // Windows has no such modes.
  if (process.platform === 'win32') return;
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & bits) === 0) return;
  log.warn(text, { file, mode: (mode & 0o777).toString(8).padStart(4, '0'), fix });
}
