import { lstatSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, sep } from 'node:path';
import { isSecretName } from 'pegboard/kit';
import { readHostGrant } from '../../kit/definitions/hostGrant.ts';

/** Grants that are proposed; more are a matter for the editor. */
const MAX_PROPOSED = 20;
/** Files that hold keys, whatever they are named for. */
const KEYS = /(?:^|[-_.])(?:env|pem|key|p12|pfx|kdbx|netrc|npmrc|pypirc|htpasswd)$|^id_[a-z\d]+$|credential/i;
/** Places of the system: they are shown anyway, or belong to the machine. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc', '/boot', '/var'];
const MACHINE = ['/proc', '/sys', '/dev', '/run'];

export interface Seen {
  /** What the server wrote on standard error. */
  readonly lines: readonly string[];
  /** Hosts that it was refused. */
  readonly hosts: readonly string[];
}
/** A path that a server may see. */
export interface FileGrant {
  readonly path: string;
  readonly mode: 'ro' | 'rw';
}

/** Paths in the arguments of a command that exist, to be read. @param kept folders of which nothing is granted, as isGrantable() */
export function argumentGrants(words: readonly string[], kept: readonly string[]): readonly FileGrant[] {
  const paths = words.slice(1).map((word) => (word.startsWith('-') ? word.replace(/^[^=]*=?/, '') : word));
  return grantsOf(
    paths.map((path) => ({ path, mode: 'ro' })),
    kept,
  );
}

/** Paths with which a server failed, as far as they exist. */
export function failedGrants({ lines }: Seen, kept: readonly string[]): readonly FileGrant[] {
  const failed = lines.flatMap((line): readonly FileGrant[] => {
    const isWritten = /EROFS|Read-only file system/.test(line);
    if (!isWritten && !/ENOENT|EACCES|No such file|Permission denied/.test(line)) return [];
    const paths = line.match(/\/[^\s'"`:;,()<>]+/g) ?? [];
    return paths.map((path) => ({ path, mode: isWritten ? 'rw' : 'ro' }));
  });
  return grantsOf(failed, kept);
}

/** Hosts that can be granted. */
export function hostGrants({ hosts }: Seen): readonly string[] {
  return hosts.filter((host) => readHostGrant(host) !== undefined).slice(0, MAX_PROPOSED);
}

function grantsOf(files: readonly FileGrant[], kept: readonly string[]): readonly FileGrant[] {
  const byPath = new Map<string, FileGrant>();
  for (const file of files) {
    if (!isGrantable(file.path, kept)) continue;
    if (byPath.get(file.path)?.mode !== 'rw') byPath.set(file.path, file);
  }
  return [...byPath.values()].slice(0, MAX_PROPOSED);
}

/** Whether a path may be proposed: it exists, has no link in it, and shows neither the home as a whole nor what is hidden in it, nor keys. */
function isGrantable(path: string, named: readonly string[]): boolean {
  // Paths that are proposed have no link in them, as these may.
  const home = realOf(homedir());
  const kept = named.map(realOf);
  if (!path.startsWith(sep) || !isPlain(path)) return false;
  if ([...SYSTEM, ...MACHINE].some((folder) => isWithin(path, folder))) return false;
  if (isWithin(home, path) || kept.some((folder) => isWithin(folder, path) || isWithin(path, folder)))
    return false;
  const parts = path.split(sep).filter((part) => part !== '');
  // `/tmp` and the like belong to all.
  if (parts.length < 2) return false;
  if (isWithin(path, home) && path.slice(home.length).includes(`${sep}.`)) return false;
  return !parts.some((part) => KEYS.test(part) || isSecretName(part) || part === '.ssh' || part === '.aws');
}

function isPlain(path: string): boolean {
  try {
    const found = lstatSync(path);
    return realpathSync(path) === path && (found.isFile() || found.isDirectory());
  } catch {
    return false;
  }
}

/** Where a path leads; itself if there is nothing. */
function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(join(folder, sep));
}
