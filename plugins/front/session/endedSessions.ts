import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from 'pegboard';
import { messageOf } from 'pegboard';

const FILE = 'ended-sessions';
/** A walk over all ids with each end would be quadratic. */
const SWEEP_EVERY_MS = 60_000;

/** Sessions that ended before their handle expired, by id; the only thing remembered of them. */
export class EndedSessions {
  readonly #expiryById = new Map<string, number>();
  readonly #file: string | undefined;
  readonly #log: Log;
  #sweepAt = 0;

  constructor(stateDirectory: string | undefined, log: Log) {
    this.#file = stateDirectory === undefined ? undefined : join(stateDirectory, FILE);
    this.#log = log;
  }

  /** Reads what an earlier process has written, and drops what has expired. */
  load(now: number): void {
    const file = this.#file;
    if (file === undefined || !existsSync(file)) return;
    const lines = readFileSync(file, 'utf8').split('\n');
    for (const line of lines) {
      const [id, expiresAt] = line.split(' ');
      if (id !== undefined && Number(expiresAt) > now) this.#expiryById.set(id, Number(expiresAt));
    }
    if (this.#expiryById.size === lines.length - 1) return;
    const kept = [...this.#expiryById].map(([id, expiresAt]) => `${id} ${expiresAt}\n`).join('');
    const draft = `${file}.${process.pid}`;
    // In one step: cut short, it would let sessions that ended go on.
    this.#write(() => {
      writeFileSync(draft, kept, { mode: 0o600 });
      renameSync(draft, file);
    });
  }

  has(id: string): boolean {
    return this.#expiryById.has(id);
  }

  /** @param expiresAt when the handle would stop opening by itself, ms since the epoch */
  add(id: string, expiresAt: number, now: number): void {
    this.#sweep(now);
    this.#expiryById.set(id, expiresAt);
    const file = this.#file;
    if (file !== undefined) this.#write(() => appendFileSync(file, `${id} ${expiresAt}\n`, { mode: 0o600 }));
  }

  #sweep(now: number): void {
    if (now < this.#sweepAt) return;
    this.#sweepAt = now + SWEEP_EVERY_MS;
    for (const [id, expiresAt] of this.#expiryById) if (expiresAt <= now) this.#expiryById.delete(id);
  }

  #write(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#log.warn('ended sessions are not remembered over a restart', { reason: messageOf(error) });
    }
  }
}
