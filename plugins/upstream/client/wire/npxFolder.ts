/** The place of a package set in npm's cache. */
const PLACE = /[\\/]_npx[\\/][0-9a-f]{8,64}(?=[\\/])/;
/** What no path in a command may have: a shell would read it. */
const UNSAFE = /[\0"'`$;&|<>()]/;
const ROOT = /\/|[a-z]:\\/i;
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
   *  @param hasAnswered then only a module that is missing shows it */
  cure(hasAnswered: boolean): string {
    if (this.#folder === undefined || (hasAnswered && !this.#isMissing)) return '';
    const why = this.#isMissing
      ? 'npx has an incomplete installation of it'
      : 'if npx was ended while it installed the server, the installation is incomplete';
    return `; ${why}: delete it, and the next start installs it anew: ${deletion(this.#folder)}`;
  }
}

/** The folder that a stack or a list of requiring modules names. */
function folderIn(line: string): string | undefined {
  const found = PLACE.exec(line);
  if (found === null) return undefined;
  const before = line.slice(0, found.index).split(UNSAFE).at(-1) ?? '';
  const at = before.search(ROOT);
  return at < 0 ? undefined : before.slice(at) + found[0];
}

function deletion(folder: string): string {
  return process.platform === 'win32' ? `rmdir /s /q "${folder}"` : `rm -r "${folder}"`;
}
