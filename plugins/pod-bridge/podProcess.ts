import type { ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { waitAtMost } from 'pegboard';
import { killTree, spawnTree } from '../kit/processes/processTree.ts';
import { hiderOf } from '../kit/secrets/hiding.ts';
import { secretsGiven } from '../kit/secrets/secretPlaces.ts';
import { LineSplitter } from '../kit/text/lineSplitter.ts';

const MAX_QUEUED_BYTES = 64 * 1_024 * 1_024;
const STDIN_GRACE_MS = 500;
const TERM_GRACE_MS = 1_500;
const LAST_OUTPUT_MS = 50;
const MAX_ERROR_LINE_BYTES = 65_536;

export interface PodProcessParts {
  readonly hear: (chunk: Buffer) => void;
  /** Writes a line to the log of the pod. */
  readonly say: (line: string) => void;
  /** Called once. @param how such as `exited with code 1` */
  readonly gone: (how: string) => void;
}

/** The server of one session, in a process group of its own. Its standard error goes to the log of the pod, without what it was given:
 *  the gateway cannot hide what it does not know (decision D19). */
export class PodProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Writes a line of the server to the log of the pod. */
  readonly say: (line: string) => void;
  readonly #exited: Promise<void>;
  #hasExited = false;

  constructor(command: readonly string[], { hear, say, gone }: PodProcessParts) {
    const given = givenVariables();
    const hide = hiderOf(secretsGiven({ values: given }));
    this.say = (line) => say(hide(line));
    this.#child = spawnTree(command, { env: ownEnvironment(given) });
    const { stdin, stdout, stderr } = this.#child;
    for (const stream of [stdin, stdout, stderr]) stream.on('error', () => undefined);
    stdout.on('data', hear);
    const errors = new LineSplitter(
      () => MAX_ERROR_LINE_BYTES,
      this.say,
      () => say('(a line that is too long)'),
    );
    stderr.on('data', (chunk: Buffer) => errors.push(chunk));
    this.#exited = new Promise((resolve) => {
      const over = (how: string): void => {
        this.#kill('SIGKILL');
        this.#hasExited = true;
        stdout.resume();
        // What it has written last is still read; a grandchild may hold the pipes open for ever.
        void waitAtMost(LAST_OUTPUT_MS, Promise.all([stdout, stderr].map(readToEnd))).then(() => {
          stdout.destroy();
          stderr.destroy();
          errors.end();
          resolve();
          // Who has ended it knows better why.
          setImmediate(() => gone(how));
        });
      };
      this.#child.once('exit', (code, signal) =>
        over(signal === null ? `exited with code ${code ?? 'unknown'}` : `was ended by ${signal}`),
      );
      this.#child.once('error', (error) => over(`cannot be started: ${error.message}`));
    });
  }

  /** Whether it has not read what it was sent. */
  get isBehind(): boolean {
    return this.#child.stdin.writableLength > MAX_QUEUED_BYTES;
  }

  write(line: string): void {
    if (this.#child.stdin.writable) this.#child.stdin.write(`${line}\n`);
  }
  pause(): void {
    this.#child.stdout.pause();
  }
  resume(): void {
    this.#child.stdout.resume();
  }

  /** Closes its input, then sends SIGTERM, then SIGKILL, to the whole group. */
  async stop(): Promise<void> {
    this.resume();
    this.#child.stdin.end();
    if (await this.#exitsWithin(STDIN_GRACE_MS)) return;
    this.#kill('SIGTERM');
    if (await this.#exitsWithin(TERM_GRACE_MS)) return;
    this.#kill('SIGKILL');
    await this.#exited;
  }

  async #exitsWithin(ms: number): Promise<boolean> {
    await waitAtMost(ms, this.#exited);
    return this.#hasExited;
  }

  #kill(signal: 'SIGTERM' | 'SIGKILL'): void {
    if (this.#child.pid !== undefined) killTree(this.#child.pid, signal);
  }
}

const PREFIX = 'PEGBOARD_ENV_';

function readToEnd(stream: Readable): Promise<void> {
  return new Promise((done) => (stream.readableEnded ? done() : stream.once('end', done)));
}

/** The variables of the definition, by the names that it has for them. */
function givenVariables(): readonly (readonly [string, string])[] {
  return Object.entries(process.env)
    .filter(([name]) => name.startsWith(PREFIX))
    .map(([name, value = '']) => [name.slice(PREFIX.length), value]);
}

/** That of the pod, where variables of the definition have a name that the bridge itself does not obey. */
function ownEnvironment(given: readonly (readonly [string, string])[]): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith(PREFIX));
  return Object.fromEntries([...own, ...given]);
}
