import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import type { Server } from 'node:net';
import { createInterface } from 'node:readline';
import { defer } from './cleanup.ts';
import { packedProgram } from './packed.ts';
import { until } from './until.ts';

export interface ServeOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly withinMs?: number;
  /** The log line that is waited for. Default: `ready`. */
  readonly awaited?: string;
  /** Program of another installation. */
  readonly main?: string;
  /** A command that runs its arguments. */
  readonly within?: readonly string[];
  /** Listening sockets that it gets as descriptors from 3 on, as systemd hands them over; closed here. */
  readonly sockets?: readonly Server[];
}
export interface LogLine {
  readonly level: string;
  readonly text: string;
  readonly [fact: string]: unknown;
}
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}
export interface Pegboard {
  /** `http://host:port` of the ready line; empty with stdio. */
  readonly url: string;
  readonly pid: number;
  /** Its log so far. */
  readonly lines: readonly LogLine[];
  readonly stdin: NodeJS.WritableStream;
  readonly stdout: NodeJS.ReadableStream;
  /** Closes the reading end of its log. */
  closeStderr(): void;
  logged(text: string): Promise<LogLine>;
  /** SIGTERM, then waits for the end. */
  stop(): Promise<Exit>;
  /** SIGKILL, then waits for the end. */
  kill(): Promise<Exit>;
  readonly exited: Promise<Exit>;
}

/** A ready `pegboard serve` from the tarball in a process of its own on a free port; killed after the test if it still runs.
 *  @param directory undefined leaves it to the environment's HOME
 *  @throws Error with its output when it ends before it is ready */
export async function servePegboard(
  directory: string | undefined,
  args: readonly string[] = [],
  {
    env = {},
    withinMs = 30_000,
    awaited = 'ready',
    main = packedProgram(),
    within = [],
    sockets = [],
  }: ServeOptions = {},
): Promise<Pegboard> {
  const named = directory === undefined ? [] : ['--config-path', directory];
  const argv = [main, 'serve', ...named, '--port', '0', '--log-format', 'json', ...args];
  // The process id is known only to the process itself.
  const activated = ['sh', '-c', `LISTEN_FDS=${sockets.length} LISTEN_PID=$$ exec "$@"`, 'sh'];
  const [command = '', ...words] = [
    ...(sockets.length > 0 ? activated : []),
    ...within,
    process.execPath,
    ...argv,
  ];
  const child = spawn(command, words, {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe', ...sockets.map(descriptorOf)],
  }) as ChildProcessWithoutNullStreams;
  for (const socket of sockets) socket.close();
  const exited = new Promise<Exit>((resolve) =>
    child.once('exit', (code, signal) => resolve({ code, signal })),
  );
  let exit: Exit | undefined;
  void exited.then((how) => (exit = how));
  const lines: LogLine[] = [];
  createInterface(child.stderr).on('line', (line) => lines.push(parseLine(line)));
  const end = (signal: NodeJS.Signals): Promise<Exit> => {
    if (exit === undefined) child.kill(signal);
    return exited;
  };
  defer(() => end('SIGKILL'));
  const logged = (text: string): Promise<LogLine> =>
    until(() => lines.find((line) => line.text === text) ?? exit, {
      what: `log line "${text}"`,
      withinMs,
    }).then((found) => {
      if ('text' in found) return found;
      const output = lines.map((line) => JSON.stringify(line)).join('\n');
      throw new Error(`pegboard ended (${found.code ?? found.signal ?? ''}) without "${text}":\n${output}`);
    });
  const ready = await logged(awaited);
  const url = originOf(ready['url']);
  return {
    url,
    pid: child.pid ?? 0,
    lines,
    stdin: child.stdin,
    stdout: child.stdout,
    closeStderr: () => void child.stderr.destroy(),
    logged,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    exited,
  };
}

function descriptorOf(server: Server): number {
  return (server as unknown as { readonly _handle: { readonly fd: number } })._handle.fd;
}

export interface Output extends Exit {
  readonly stdout: string;
  readonly stderr: string;
}

/** One run of the command line to its end. */
export async function runPegboard(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Output> {
  const child = spawn(process.execPath, [packedProgram(), ...args], { env: { ...process.env, ...env } });
  defer(() => child.kill('SIGKILL'));
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  child.stdin.end();
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { code, signal, stdout, stderr };
}

function parseLine(line: string): LogLine {
  try {
    return JSON.parse(line) as LogLine;
  } catch {
    return { level: 'raw', text: line };
  }
}

function originOf(endpoint: unknown): string {
  return typeof endpoint === 'string' && endpoint.startsWith('http') ? new URL(endpoint).origin : '';
}
