import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { defer } from './cleanup.ts';

/** File name below the directory → text. */
export type Files = Readonly<Record<string, string>>;

export interface Directory {
  readonly path: string;
  /** Absolute path of a name below it. */
  readonly at: (name: string) => string;
  readonly write: (name: string, text: string) => void;
  /** Saves as editors do: by renaming a new file over the old one. */
  readonly replace: (name: string, text: string) => void;
  readonly remove: (name: string) => void;
}

/** A directory with these files, removed after the test. */
export function makeDirectory(files: Files = {}): Directory {
  const path = mkdtempSync(join(tmpdir(), 'pegboard-test-'));
  const at = (name: string): string => join(path, name);
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(at(name)), { recursive: true });
    writeFileSync(at(name), text);
  };
  defer(() => {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  });
  for (const [name, text] of Object.entries(files)) write(name, text);
  return {
    path,
    at,
    write,
    replace: (name, text) => {
      write(`${name}.tmp~`, text);
      renameSync(at(`${name}.tmp~`), at(name));
    },
    remove: (name) => {
      rmSync(at(name), { recursive: true, force: true });
    },
  };
}
