import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { until } from '../until.ts';

/** Loaded machines take several times as long as idle ones. */
const READY_WITHIN_MS = 120_000;

export interface ServerProcess {
  /** Resolves once it is ready; does nothing while it runs. @throws Error with the end of its log when it ends instead */
  start(): Promise<void>;
  /** SIGKILL: a kube-apiserver that is asked to end waits up to a minute for its watches. */
  kill(): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  pid(): number;
}

/** A program that writes to that log and is started again and again with the same arguments. */
export function serverProcess(
  [program, ...args]: readonly [string, ...(readonly string[])],
  { log, isReady }: { readonly log: string; readonly isReady: () => Promise<boolean> },
): ServerProcess {
  let child: ChildProcess | undefined;
  // A run that is ended in the middle leaves no server behind.
  process.once('exit', () => void child?.kill('SIGKILL'));
  const isRunning = (): boolean => child?.exitCode === null && child.signalCode === null;
  const isUp = (): Promise<boolean> => {
    if (!isRunning()) throw new Error(`${program} has ended:\n${readFileSync(log, 'utf8').slice(-2_000)}`);
    return isReady();
  };
  const kill = async (): Promise<void> => {
    if (child === undefined || !isRunning()) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  return {
    start: async () => {
      if (!isRunning()) {
        const output = openSync(log, 'a');
        child = spawn(program, args, { stdio: ['ignore', output, output] });
        closeSync(output);
        await once(child, 'spawn');
      }
      await until(isUp, { what: program, withinMs: READY_WITHIN_MS });
    },
    kill,
    signal: (signal) => void child?.kill(signal),
    pid: () => child?.pid ?? 0,
  };
}
