import { fileURLToPath } from 'node:url';

/** The place of a package set in npm's cache. */
const PLACE = /[\\/]_npx[\\/][0-9a-f]{8,64}(?=[\\/])/;
/** What no path in a command may have: a shell would read it. */
const UNSAFE = /[\0"'`$;&|<>()]/;
/** Where a path may begin in a line. */
const ROOT = /(?<=^|[\s=,:[])(?:[a-z]:[\\/]|\/)/gi;
const FILE_URL = 'file://';
const MISSING = /\bERR_MODULE_NOT_FOUND\b|\bCannot find (?:module|package)\b|\bENOTEMPTY\b/;
/** What breaks at the load is said at the beginning; a server that runs may write for ever. */
const MAX_LINES = 200;

/** Notices in what a process writes that npx has an incomplete installation of it: one that was ended while it installed is not mended by
 *  later starts. */
export class NpxFolder {
  #lines = 0;
  #folder: string | undefined;
  #isMissing = false;

  hear(line: string): void {
    if (this.#lines >= MAX_LINES) return;
    this.#lines += 1;
    this.#isMissing ||= MISSING.test(line);
    this.#folder ??= folderIn(line);
  }

  /** What to do about it, for the end of an error; empty if the words of the process name no such folder.
   *  @param wasCut an earlier start was ended before it answered; without that only a module that is missing shows it */
  cure(wasCut: boolean): string {
    if (this.#folder === undefined || !(wasCut || this.#isMissing)) return '';
    const why = this.#isMissing
      ? 'npx has an incomplete installation of it'
      : 'npx was ended while it started the server, so the installation may be incomplete';
    return `; ${why}: delete it, and the next start installs it anew: ${deletion(this.#folder)}`;
  }
}

/** The folder that a stack or a list of requiring modules names. */
function folderIn(line: string): string | undefined {
  const found = PLACE.exec(line);
  if (found === null) return undefined;
  const before = line.slice(0, found.index).split(UNSAFE).at(-1) ?? '';
  const begin = before.lastIndexOf(FILE_URL);
  if (begin >= 0 && !/\s/.test(before.slice(begin))) return pathOf(before.slice(begin) + found[0]);
  const at = [...before.matchAll(ROOT)].at(-1)?.index;
  return at === undefined ? undefined : before.slice(at) + found[0];
}

function pathOf(url: string): string | undefined {
  try {
    const path = fileURLToPath(url);
    return UNSAFE.test(path) ? undefined : path;
  } catch {
    // Of another machine.
    return undefined;
  }
}

function deletion(folder: string): string {
  return process.platform === 'win32' ? `rmdir /s /q "${folder}"` : `rm -r "${folder}"`;
}
