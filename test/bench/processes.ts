/** Children of the bench: started pinned to a core, all stopped at the end. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

export const GATEWAY_CORE = 0;
export const LOAD_CORE = 1;

const TICK_US = 10_000;
const START_TIMEOUT_MS = 20_000;
const STOP_TIMEOUT_MS = 8_000;
const KEPT_LINES = 15;
/** A helper prints its URL alone on a line; Pegboard's ready line is JSON with a `url`. */
const URL_PATTERN = /^(?:\{.*"text":"ready".*"url":")?(http:\/\/[\w.[\]:]+)/;
const alive = new Set<ChildProcess>();
let isClosing = false;

export interface LaunchOptions {
  /** Not pinned when left out. */
  readonly core?: number;
  readonly env?: NodeJS.ProcessEnv;
  /** Opens a message channel to the child. */
  readonly hasChannel?: boolean;
}

/** Runs a program; its standard input stays open as long as the bench runs. */
export function launch(
  command: readonly string[],
  { core, env, hasChannel }: LaunchOptions = {},
): ChildProcess {
  if (isClosing) throw new Error('the bench is ending');
  const [program = '', ...args] = core === undefined ? command : pinned(core, command);
  const stdio = ['pipe', 'pipe', 'pipe', ...(hasChannel === true ? ['ipc' as const] : [])] as const;
  const child = spawn(program, args, { stdio: [...stdio], env: env ?? process.env });
  alive.add(child);
  child.once('exit', () => alive.delete(child));
  child.once('error', () => alive.delete(child));
  return child;
}

/** A command pinned to one core; `taskset` execs the program, so the process id is the program's own. */
export function pinned(core: number, command: readonly string[]): readonly string[] {
  return ['taskset', '-c', String(core), ...command];
}

/** Waits for a line with the URL of an MCP endpoint on either output, and keeps draining both.
 *  @throws Error with the child's last lines when it ends or stays silent */
export function urlOf(child: ChildProcess, what: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const last: string[] = [];
    const fail = (why: string): void => {
      clearTimeout(timer);
      reject(new Error([`${what} ${why}`, ...last].join('\n  ')));
    };
    const timer = setTimeout(() => fail(`printed no URL within ${START_TIMEOUT_MS} ms`), START_TIMEOUT_MS);
    const hear = (line: string): void => {
      last.push(line);
      if (last.length > KEPT_LINES) last.shift();
      const [, origin] = URL_PATTERN.exec(line) ?? [];
      if (origin === undefined) return;
      clearTimeout(timer);
      resolve(`${origin}/mcp`);
    };
    for (const stream of [child.stdout, child.stderr]) {
      if (stream !== null) createInterface({ input: stream }).on('line', hear);
    }
    child.once('error', (error) => fail(`could not be started: ${error.message}`));
    child.once('close', (code, signal) => fail(`ended with ${signal ?? code}`));
  });
}

/** Ends a child with SIGTERM, then with SIGKILL. */
export async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(timer);
}

/** Ends every child; no other can be started afterwards. */
export async function stopAll(): Promise<void> {
  isClosing = true;
  await Promise.all([...alive].map(stopChild));
}

/** User and system time of a process so far, in µs. Source: proc(5), /proc/pid/stat, fields 14 and 15. */
export function cpuUs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_US;
}

export function rssBytes(pid: number): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
  return Number(kib) * 1024;
}

/** Keeps the operator's own settings from measured processes. */
export function cleanEnv(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([key]) => !/^(PEGBOARD_|NODE_OPTIONS$)/.test(key)),
  );
}
