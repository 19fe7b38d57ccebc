import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
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
    if (this.#file === undefined) return;
    if (!existsSync(this.#file)) return;
    const text = readFileSync(this.#file, 'utf8');
    for (const line of text.split('\n')) {
      const [id, expiresAt] = line.split(' ');
      if (id !== undefined && Number(expiresAt) > now) this.#expiryById.set(id, Number(expiresAt));
    }
    const kept = [...this.#expiryById].map(([id, expiresAt]) => `${id} ${expiresAt}\n`).join('');
    this.#write(() => writeFileSync(this.#file ?? '', kept, { mode: 0o600 }));
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
