import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { makeDirectory } from '../../support/directory.ts';
import type { Files } from '../../support/directory.ts';
import { PROGRAM } from '../../support/packed.ts';

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}
export interface ClientHome {
  readonly path: string;
  readonly at: (name: string) => string;
  readonly write: (name: string, content: string) => void;
  readonly read: (name: string) => string;
  /** Digest of each file by its name below the home, except Pegboard's own. */
  readonly clientFiles: () => Readonly<Record<string, string>>;
  /** Files below Pegboard's configuration directory. */
  readonly ownFiles: () => readonly string[];
  /** Runs the packed program in `<home>/project`. */
  readonly run: (args: readonly string[], env?: Readonly<Record<string, string>>) => Promise<Ran>;
}

const OWN = '.config/pegboard/';

/** A home folder with these files of clients, and a program that knows no other. */
export function makeClientHome(files: Files): ClientHome {
  const { path, at, write } = makeDirectory(files);
  mkdirSync(at('project'), { recursive: true });
  const names = (): readonly string[] =>
    readdirSync(path, { recursive: true, encoding: 'utf8' })
      .filter((name) => statSync(join(path, name)).isFile())
      .sort();
  const digest = (name: string): string =>
    createHash('sha256')
      .update(readFileSync(at(name)))
      .digest('hex');
  return {
    path,
    at,
    write,
    read: (name) => readFileSync(at(name), 'utf8'),
    clientFiles: () =>
      Object.fromEntries(
        names()
          .filter((name) => !name.startsWith(OWN))
          .map((name) => [name, digest(name)]),
      ),
    ownFiles: () =>
      names()
        .filter((name) => name.startsWith(OWN))
        .map((name) => name.slice(OWN.length)),
    run: async (args, env = {}) => {
      const child = spawn(process.execPath, [PROGRAM, ...args], {
        cwd: at('project'),
        env: { PATH: process.env['PATH'] ?? '', HOME: path, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
      const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
      return { code, stdout, stderr };
    },
  };
}
