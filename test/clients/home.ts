import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { defer } from '../support/cleanup.ts';
import type { Program } from './clients.ts';
import { folderOf } from './installation.ts';

const LIMIT_MS = 120_000;

export interface Output {
  readonly code: number | null;
  readonly stdout: string;
  /** Standard output, then standard error, without colours. */
  readonly text: string;
}

/** A program in a home folder of its own, with only PATH of this process's environment. */
export class Home {
  readonly #program: Program;
  readonly #home = mkdtempSync(join(tmpdir(), 'pegboard-client-'));

  constructor(program: Program) {
    this.#program = program;
    mkdirSync(join(this.#home, 'project'));
    defer(() => {
      rmSync(this.#home, { recursive: true, force: true, maxRetries: 3 });
    });
  }

  /** Absolute path of a name below it. */
  at(file: string): string {
    return join(this.#home, file);
  }

  read(file: string): string {
    return readFileSync(this.at(file), 'utf8');
  }

  append(file: string, lines: string): void {
    const path = this.at(file);
    mkdirSync(dirname(path), { recursive: true });
    appendFileSync(path, lines);
  }

  /** A command line as a user types it. @throws Error if it fails */
  async type(line: string, env: Readonly<Record<string, string>> = {}): Promise<Output> {
    const output = await this.run(['sh', '-c', line], env);
    if (output.code !== 0) throw new Error(`${line} failed:\n${output.text}`);
    return output;
  }

  async run(
    [command = '', ...args]: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<Output> {
    const bin = join(folderOf(this.#program), 'node_modules', '.bin');
    const child = spawn(command, args, {
      cwd: this.at('project'),
      env: { PATH: `${bin}:${process.env['PATH'] ?? ''}`, HOME: this.#home, ...this.#program.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: LIMIT_MS,
      killSignal: 'SIGKILL',
    });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    return { code, stdout, text: stripVTControlCharacters(stdout + stderr) };
  }
}
