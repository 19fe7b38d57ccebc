import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Client } from './clients.ts';
import { folderOf } from './installation.ts';

const LIMIT_MS = 120_000;

export interface Output {
  readonly code: number | null;
  readonly text: string;
}

/** A client in a home folder of its own, with only PATH of this process's environment. */
export class Home {
  readonly #client: Client;
  readonly #home = mkdtempSync(join(tmpdir(), 'pegboard-client-'));

  constructor(client: Client) {
    this.#client = client;
    mkdirSync(join(this.#home, 'project'));
  }

  append(file: string, lines: string): void {
    const path = join(this.#home, file);
    mkdirSync(dirname(path), { recursive: true });
    appendFileSync(path, lines);
  }

  /** A command line as a user types it. */
  type(line: string, env: Readonly<Record<string, string>> = {}): Promise<Output> {
    return this.run(['sh', '-c', line], env);
  }

  async run(
    [command = '', ...args]: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<Output> {
    const bin = join(folderOf(this.#client), 'node_modules', '.bin');
    const child = spawn(command, args, {
      cwd: join(this.#home, 'project'),
      env: { PATH: `${bin}:${process.env['PATH'] ?? ''}`, HOME: this.#home, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: LIMIT_MS,
      killSignal: 'SIGKILL',
    });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    return { code, text: stdout + stderr };
  }

  remove(): void {
    rmSync(this.#home, { recursive: true, force: true, maxRetries: 3 });
  }
}
