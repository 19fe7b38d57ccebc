import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { makeDirectory } from '../../support/directory.ts';
import type { Files } from '../../support/directory.ts';
import { packedProgram } from '../../support/packed.ts';
import { typeVerbWith } from '../../support/typeVerb.ts';

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
  /** Runs a verb of plugins/cli in this process, in `<home>/project`: one after the other. */
  readonly run: (args: readonly string[], env?: Readonly<Record<string, string>>) => Promise<Ran>;
  /** Runs the packed program in `<home>/project`. */
  readonly runProgram: (args: readonly string[]) => Promise<Ran>;
}

const OWN = '.config/pegboard/';
/** The working directory belongs to the process. */
let last: Promise<unknown> = Promise.resolve();

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
  const own = (env: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> => ({
    PATH: process.env['PATH'] ?? '',
    HOME: path,
    ...env,
  });
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
    run: (args, env = {}) => {
      const ran = last.then(() => inFolder(at('project'), () => typeVerbWith(args, own(env))));
      last = ran.catch(() => undefined);
      return ran;
    },
    runProgram: async (args) => {
      const child = spawn(process.execPath, [packedProgram(), ...args], {
        cwd: at('project'),
        env: own(),
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
      const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
      return { code, stdout, stderr };
    },
  };
}

async function inFolder<T>(folder: string, run: () => Promise<T>): Promise<T> {
  const before = process.cwd();
  process.chdir(folder);
  try {
    return await run();
  } finally {
    process.chdir(before);
  }
}
