import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { defer } from '../support/cleanup.ts';
import { makeDirectory } from '../support/directory.ts';
import { freePort } from '../support/everything.ts';
import { processesNaming } from '../support/proc.ts';
import { until } from '../support/until.ts';
import { folderOf } from './installation.ts';
import type { ServerKind } from './servers.ts';

/** Programs in Java or Python need some seconds on a busy machine. */
const START_MS = 60_000;

/** One server in a process of its own; over stdio, Pegboard starts it. */
export class ForeignServer {
  readonly kind: ServerKind;
  readonly name: string;
  /** Over HTTP. */
  readonly port: number;
  readonly #directory = makeDirectory();
  #child: ChildProcess | undefined;
  #output = '';

  private constructor(kind: ServerKind, name: string, port: number) {
    this.kind = kind;
    this.name = name;
    this.port = port;
    defer(() => this.end());
  }

  /** Over HTTP it listens now. */
  static async start(kind: ServerKind, name: string): Promise<ForeignServer> {
    const server = new ForeignServer(kind, name, await freePort());
    await server.begin();
    return server;
  }

  get command(): readonly string[] {
    const { sdk, over, mode } = this.kind;
    const transport = over === 'stdio' ? 'stdio' : String(this.port);
    const added = mode === undefined ? [] : [mode];
    return [...sdk.server(folderOf(sdk)), transport, this.name, this.#directory.at('redeployed'), ...added];
  }
  get url(): string {
    return `http://127.0.0.1:${this.port}/mcp`;
  }

  /** Starts the process again. @throws Error with its output if it does not listen */
  async begin(): Promise<void> {
    if (this.kind.over === 'stdio') return;
    const [program = '', ...words] = this.command;
    const child = spawn(program, words, { cwd: tmpdir(), stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream
        .setEncoding('utf8')
        .on('data', (said: string) => (this.#output = (this.#output + said).slice(-4_000)));
    const isUp = (): Promise<boolean> => {
      if (child.exitCode !== null) throw new Error(`${this.name} has ended:\n${this.#output}`);
      return isOpen(this.port);
    };
    await until(isUp, { what: `${this.name} listens`, withinMs: START_MS });
  }

  /** SIGKILL; over stdio, of the process that Pegboard has started. */
  async end(): Promise<void> {
    const child = this.#child;
    if (child === undefined) {
      const pids = this.#signal('SIGKILL');
      await until(() => !pids.some((pid) => existsSync(`/proc/${pid}`)), { what: `${this.name} has ended` });
      return;
    }
    this.#child = undefined;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill('SIGKILL');
    await gone;
  }

  /** Gives it the tool `bye` from its next start on. */
  redeploy(): void {
    this.#directory.write('redeployed', '');
  }

  /** Returns when no thread of it runs. */
  async stop(): Promise<void> {
    const pids = this.#signal('SIGSTOP');
    await until(() => pids.length > 0 && pids.every(isStopped), { what: `${this.name} is stopped` });
  }
  resume(): void {
    this.#signal('SIGCONT');
  }

  /** @returns ids of its processes, which have got the signal */
  #signal(signal: NodeJS.Signals): readonly number[] {
    // The folder is in the command of this server's processes only.
    const pids = processesNaming(this.#directory.path);
    for (const pid of pids) process.kill(pid, signal);
    return pids;
  }
}

function isStopped(pid: number): boolean {
  return readdirSync(`/proc/${pid}/task`).every((thread) =>
    / T \d/.test(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'latin1')),
  );
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const settle = (isUp: boolean): void => {
      socket.destroy();
      resolve(isUp);
    };
    socket.once('connect', () => settle(true)).once('error', () => settle(false));
  });
}
