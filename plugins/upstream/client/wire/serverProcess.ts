import type { ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { GatewayError, messageOf, waitAtMost } from 'pegboard';
import type { Spawned } from '../../../contracts/servers.ts';
import { helpedBy } from '../../../kit/faults/remedy.ts';
import { killTree, spawnTree } from '../../../kit/processes/processTree.ts';
import type { StandardError } from './standardError.ts';
import { LIGHT_LINE } from './unaskedFlow.ts';
import type { UnaskedFlow } from './unaskedFlow.ts';
import type { Watchdog } from './watchdog.ts';

export interface ProcessOptions {
  /** That of the definition, for messages. */
  readonly command: readonly string[];
  /** What is spawned, with its whole environment; more than the command if something confines it. */
  readonly spawned: Spawned;
  readonly watchdog: Watchdog;
  readonly output: StandardError;
  /** The budget of what it sends unasked. */
  readonly flow: UnaskedFlow;
  readonly graces: () => { readonly stdinGraceMs: number; readonly termGraceMs: number };
}

/** One child in its own process group, so that processes it starts (npx, uvx) end with it. */
export class ServerProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #options: ProcessOptions;
  readonly #exited: Promise<void>;
  #how: string | undefined;
  #stopping: Promise<void> | undefined;

  constructor(options: ProcessOptions) {
    this.#options = options;
    const { command, env, folder: cwd } = options.spawned;
    try {
      this.#child = spawnTree(command, { env, cwd });
    } catch (error) {
      options.spawned.ended?.();
      throw unspawned(error);
    }
    const { pid } = this.#child;
    if (pid !== undefined) options.watchdog.add(pid);
    this.#exited = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => {
        this.#how = signal === null ? `exited with code ${code ?? 'unknown'}` : `was ended by ${signal}`;
        this.#killGroup('SIGKILL');
        options.spawned.ended?.();
        if (pid !== undefined) options.watchdog.remove(pid);
        resolve();
      });
      this.#child.once('error', () => {
        if (pid === undefined) options.spawned.ended?.();
        resolve();
      });
    });
    options.spawned.begun?.((line) => options.output.note(line));
    this.#child.stdin.on('error', () => undefined);
    this.#child.stdout.on('error', () => undefined);
    this.#child.stderr.on('error', () => undefined);
    this.#child.stderr.on('data', (chunk: Buffer) => this.#hear(chunk));
  }

  #hear(chunk: Buffer): void {
    const { flow, output } = this.#options;
    const { stderr } = this.#child;
    flow.took(output.push(chunk) * LIGHT_LINE, chunk.length * LIGHT_LINE);
    // A chunk may have thousands of lines: others come between two of them.
    stderr.pause();
    setImmediate(() => stderr.resume());
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
  /** The end in words, such as `exited with code 1`; undefined while the process runs. */
  get ending(): string | undefined {
    return this.#how;
  }

  /** @throws GatewayError UPSTREAM_UNREACHABLE if the command cannot be run */
  started(): Promise<void> {
    if (this.#child.pid !== undefined) return Promise.resolve();
    return new Promise((_, reject) => {
      this.#child.once('error', (error: NodeJS.ErrnoException) => {
        const [file = ''] = this.#options.command;
        const isMissing = error.code === 'ENOENT';
        const { output } = this.#options;
        const what = output.redact(`give its full path${argumentsHint(file)}`);
        const hint = isMissing ? `it is not on the PATH; ${what}` : error.message;
        const text = output.redact(`command ${file} cannot be run: ${hint}`);
        const details = { ...(isMissing && { action: { do: 'edit', part: 'command', what } as const }) };
        reject(new GatewayError('UPSTREAM_UNREACHABLE', text, { cause: error, details }));
      });
    });
  }

  /** Resolves after the process has ended and its remaining output has been read. */
  async ended(): Promise<void> {
    await this.#exited;
    if (this.#child.stdout.readableEnded || this.#child.stdout.destroyed) return;
    // A grandchild can hold the pipe open for ever.
    await waitAtMost(50, new Promise((resolve) => this.#child.stdout.once('end', resolve)));
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
  }

  /** Closes its input, then sends SIGTERM, then SIGKILL, to the whole group. Safe to call twice. */
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

  /** Sends SIGKILL at once: for a child that floods the gateway. */
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

  #killGroup(signal: 'SIGTERM' | 'SIGKILL'): void {
    if (this.#child.pid !== undefined) killTree(this.#child.pid, signal);
  }
}

/** Node.js throws what the system says about all words together. */
function unspawned(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EMFILE')
    return new GatewayError('UPSTREAM_UNREACHABLE', `the command cannot be run: ${messageOf(error)}`);
  if (code !== 'E2BIG') return error;
  const cause = 'the command cannot be run: its arguments and variables together are too long for the system';
  const what = 'shorten args or env, or have it read the long value from a file';
  return helpedBy({ do: 'edit', what }, 'UPSTREAM_UNREACHABLE', cause);
}

/** What to do about a command that does not exist and has its arguments in one text with it; empty for one word. */
function argumentsHint(command: string): string {
  const [program = ''] = command.trim().split(/\s+/);
  return program === command ? '' : `; if what follows ${program} are its arguments, write them into args`;
}
