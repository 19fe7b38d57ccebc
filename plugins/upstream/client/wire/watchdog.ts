import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Log } from 'pegboard';

/** Reads `+ group` and `- group`; the end of its input means that Pegboard has ended, for any reason. */
const SCRIPT = `
trap '' HUP INT TERM QUIT PIPE
groups=' '
while read -r op group; do
  case "$op" in
    +) groups="$groups$group " ;;
    -) kept=' '
       for one in $groups; do [ "$one" = "$group" ] || kept="$kept$one "; done
       groups=$kept ;;
  esac
done
for one in $groups; do kill -s KILL -- "-$one" 2>/dev/null; done
`;

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
    const child = spawn('/bin/sh', ['-c', SCRIPT], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
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
