import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { waitAtMost } from 'pegboard';

const MAX_QUEUED_BYTES = 64 * 1_024 * 1_024;
const STDIN_GRACE_MS = 500;
const TERM_GRACE_MS = 1_500;
const LAST_OUTPUT_MS = 50;

export interface PodProcessParts {
  readonly hear: (chunk: Buffer) => void;
  /** Called once. @param how such as `exited with code 1` */
  readonly gone: (how: string) => void;
}

/** The server of one session, in a process group of its own. Its standard error is that of the pod. */
export class PodProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #exited: Promise<void>;
  #hasExited = false;

  constructor([file = '', ...args]: readonly string[], { hear, gone }: PodProcessParts) {
    this.#child = spawn(file, args, {
      env: ownEnvironment(),
      detached: true,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const { stdin, stdout } = this.#child;
    for (const stream of [stdin, stdout]) stream.on('error', () => undefined);
    stdout.on('data', hear);
    this.#exited = new Promise((resolve) => {
      const over = (how: string): void => {
        this.#kill('SIGKILL');
        this.#hasExited = true;
        resolve();
        stdout.resume();
        // What it has written last is still read; a grandchild may hold the pipe open for ever.
        const read = new Promise<void>((done) => (stdout.readableEnded ? done() : stdout.once('end', done)));
        void waitAtMost(LAST_OUTPUT_MS, read).then(() => {
          stdout.destroy();
          gone(how);
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

  #kill(signal: NodeJS.Signals): void {
    if (this.#child.pid === undefined) return;
    try {
      process.kill(-this.#child.pid, signal);
    } catch {
      // ESRCH: the group is empty already.
    }
  }
}

const PREFIX = 'PEGBOARD_ENV_';

/** That of the pod, where variables of the definition have a name that the bridge itself does not obey. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const all = Object.entries(process.env);
  const given = all.filter(([name]) => name.startsWith(PREFIX));
  return Object.fromEntries([
    ...all.filter(([name]) => !name.startsWith(PREFIX)),
    ...given.map(([name, value]) => [name.slice(PREFIX.length), value] as const),
  ]);
}
