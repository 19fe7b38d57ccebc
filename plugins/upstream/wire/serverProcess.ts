import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { GatewayError, waitAtMost } from 'pegboard';
import type { StandardError } from './standardError.ts';
import { LIGHT_LINE } from './unaskedFlow.ts';
import type { UnaskedFlow } from './unaskedFlow.ts';
import type { Watchdog } from './watchdog.ts';

export interface ProcessOptions {
  readonly command: readonly string[];
  /** The whole environment of the child. */
  readonly env: Readonly<Record<string, string>>;
  readonly watchdog: Watchdog;
  readonly output: StandardError;
  /** Of what it writes on standard output and standard error. */
  readonly flow: UnaskedFlow;
  readonly graces: () => { readonly stdinGraceMs: number; readonly termGraceMs: number };
}

/** One child in a process group of its own, so that what it starts (npx, uvx) ends with it. */
export class ServerProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #options: ProcessOptions;
  readonly #exited: Promise<void>;
  #how: string | undefined;
  #stopping: Promise<void> | undefined;

  constructor(options: ProcessOptions) {
    const [file = '', ...args] = options.command;
    this.#options = options;
    this.#child = spawn(file, args, { env: options.env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
    const { pid } = this.#child;
    if (pid !== undefined) options.watchdog.add(pid);
    this.#exited = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => {
        this.#how = signal === null ? `exited with code ${code ?? 'unknown'}` : `was ended by ${signal}`;
        this.#killGroup('SIGKILL');
        if (pid !== undefined) options.watchdog.remove(pid);
        resolve();
      });
      this.#child.once('error', () => resolve());
    });
    this.#child.stdin.on('error', () => undefined);
    this.#child.stdout.on('error', () => undefined);
    this.#child.stderr.on('error', () => undefined);
    this.#child.stderr.on('data', (chunk: Buffer) => this.#hear(chunk));
  }

  #hear(chunk: Buffer): void {
    const { flow, output } = this.#options;
    const { stderr } = this.#child;
    if (flow.took(output.push(chunk) * LIGHT_LINE, chunk.length)) return;
    stderr.pause();
    flow.goOnLater(() => stderr.resume());
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }
  get stdin(): Writable {
    return this.#child.stdin;
  }
  get stdout(): Readable {
    return this.#child.stdout;
  }
  /** `exited with code 1`; undefined while it runs. */
  get ending(): string | undefined {
    return this.#how;
  }

  /** @throws GatewayError UPSTREAM_UNREACHABLE when it cannot be run */
  started(): Promise<void> {
    if (this.#child.pid !== undefined) return Promise.resolve();
    return new Promise((_, reject) => {
      this.#child.once('error', (error: NodeJS.ErrnoException) => {
        const [file = ''] = this.#options.command;
        const hint = error.code === 'ENOENT' ? 'it is not on the PATH; give its full path' : error.message;
        reject(
          new GatewayError('UPSTREAM_UNREACHABLE', `command ${file} cannot be run: ${hint}`, {
            cause: error,
          }),
        );
      });
    });
  }

  /** Resolves once it has ended and what it wrote last has been read. */
  async ended(): Promise<void> {
    await this.#exited;
    // Little is left, and an answer may be in it.
    this.#options.flow.free();
    if (this.#child.stdout.readableEnded || this.#child.stdout.destroyed) return;
    // A grandchild can hold the pipe open for ever.
    await waitAtMost(50, new Promise((resolve) => this.#child.stdout.once('end', resolve)));
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
  }

  /** End of input, then SIGTERM, then SIGKILL to the whole group. Safe twice. */
  stop(): Promise<void> {
    this.#stopping ??= this.#ladder();
    return this.#stopping;
  }

  async #ladder(): Promise<void> {
    const { stdinGraceMs, termGraceMs } = this.#options.graces();
    this.#child.stdin.end();
    if (await this.#exitsWithin(stdinGraceMs)) return;
    this.#killGroup('SIGTERM');
    if (await this.#exitsWithin(termGraceMs)) return;
    this.#killGroup('SIGKILL');
    await this.#exitsWithin(termGraceMs);
  }

  /** At once, without the ladder: for a child that floods us. */
  kill(): void {
    this.#killGroup('SIGKILL');
  }

  #exitsWithin(ms: number): Promise<boolean> {
    if (this.#how !== undefined || this.#child.pid === undefined) return Promise.resolve(true);
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), ms);
      void this.#exited.then(() => {
        clearTimeout(timer);
        resolve(true);
      });
    });
  }

  #killGroup(signal: NodeJS.Signals): void {
    if (this.#child.pid === undefined) return;
    try {
      process.kill(-this.#child.pid, signal);
    } catch {
      // ESRCH: the group is empty already.
    }
  }
}
