import { spawn } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import type { JsonObject } from '../../kernel/index.ts';
import { newBrowser } from '../support/browser.ts';
import { defer } from '../support/cleanup.ts';
import { commandOnTerminal } from '../support/onTerminal.ts';
import type { OnTerminal } from '../support/onTerminal.ts';
import { until } from '../support/until.ts';
import type { Program } from './clients.ts';
import { folderOf } from './installation.ts';

const LIMIT_MS = 120_000;
/** A terminal would wrap longer ones. */
const MAX_ADDRESS = 4_000;

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

  /** Adds lines to the end of a file, or the keys of an object to those of a JSON file. */
  add(file: string, lines: string): void {
    const path = this.at(file);
    mkdirSync(dirname(path), { recursive: true });
    if (!file.endsWith('.json') || !existsSync(path)) appendFileSync(path, lines);
    else writeFileSync(path, JSON.stringify({ ...objectIn(this.read(file)), ...objectIn(lines) }, null, 2));
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
    const child = spawn(command, args, {
      ...this.#place(env),
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: LIMIT_MS,
      killSignal: 'SIGKILL',
    });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    return { code, stdout, text: stripVTControlCharacters(stdout + stderr) };
  }

  /** A program on a terminal, which shows an address for the browser and ends when the person has signed in there.
   *  @returns what it shows @throws Error with that if it fails */
  async signIn(
    words: readonly string[],
    address: RegExp,
    env: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const { shown, exited } = this.terminal(words, env);
    const text = (): string => stripVTControlCharacters(shown());
    const ended = exited.then((code) => `${words.join(' ')} ended with ${code}:\n${text()}`);
    const [url] = await Promise.race([
      until(() => address.exec(shown()) ?? undefined, { what: 'an address', withinMs: 60_000 }),
      ended.then((fault) => Promise.reject(new Error(fault))),
    ]);
    await this.visit(url);
    if ((await exited) !== 0) throw new Error(await ended);
    return text();
  }

  /** A program on a terminal that is wide enough for addresses. */
  terminal(words: readonly string[], env: Readonly<Record<string, string>> = {}): OnTerminal {
    const options = { ...this.#place(env), columns: MAX_ADDRESS };
    return commandOnTerminal(['sh', '-c', 'exec "$0" "$@"', ...words], options);
  }

  /** The person's browser, at an address that it leaves signed in. @throws Error with the page if it ends at a refusal */
  async visit(url: string): Promise<void> {
    const page = await newBrowser().open(url);
    if (page.status !== 200) throw new Error(`the browser shows ${page.status} ${page.url}: ${page.text}`);
  }

  #place(env: Readonly<Record<string, string>>): { cwd: string; env: Record<string, string> } {
    const bin = join(folderOf(this.#program), 'node_modules', '.bin');
    const own = { PATH: `${bin}:${process.env['PATH'] ?? ''}`, HOME: this.#home };
    return { cwd: this.at('project'), env: { ...own, ...this.#program.env, ...env } };
  }
}

function objectIn(text: string): JsonObject {
  return JSON.parse(text) as JsonObject;
}
