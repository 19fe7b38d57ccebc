import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Log } from 'pegboard';
import { watchdogCommand } from '../../../kit/processes/watchdogCommand.ts';

/** A small process in its own session that kills the servers' process groups after Pegboard has died. */
export class Watchdog {
  readonly #log: Log;
  readonly #groups = new Set<number>();
  #child: ChildProcess | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  add(group: number): void {
    this.#groups.add(group);
    if (this.#child === undefined) this.#begin();
    else this.#tell('+', group);
  }

  remove(group: number): void {
    if (this.#groups.delete(group)) this.#tell('-', group);
  }

  /** Kills the groups that are still listed. Safe to call twice. */
  stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null) return Promise.resolve();
    return new Promise((resolve) => {
      child.once('exit', () => resolve());
      child.once('error', () => resolve());
      child.stdin?.end();
    });
  }

  #begin(): void {
    const [file, ...args] = watchdogCommand();
    const stdio: ['pipe', 'ignore', 'ignore'] = ['pipe', 'ignore', 'ignore'];
    const child = spawn(file, args, { detached: true, stdio, windowsHide: true });
    this.#child = child;
    child.stdin.on('error', () => undefined);
    child.on('error', (error) => {
      this.#log.warn('no watchdog: servers may outlive a killed Pegboard', { error });
    });
    child.on('exit', () => {
      if (this.#child !== child) return;
      this.#child = undefined;
      if (this.#groups.size > 0) this.#begin();
    });
    for (const group of this.#groups) this.#tell('+', group);
  }

  #tell(op: '+' | '-', group: number): void {
    this.#child?.stdin?.write(`${op} ${group}\n`);
  }
}
