import { setImmediate as turn } from 'node:timers/promises';
import { defer } from './cleanup.ts';

interface Timer {
  at: number;
  readonly order: number;
  readonly everyMs: number | undefined;
  readonly run: () => void;
}

/** Turns of the event loop without a new timer or piece of work after which nothing happens any more by itself. */
const QUIET_TURNS = 4;

/** The time of this process, which passes only in run(): hours in seconds. Nothing but timers may take time, so it is of use without
 *  sockets and processes. Create it before what sets timers. */
export class VirtualClock {
  #now = 0;
  #count = 0;
  readonly #timers = new Map<object, Timer>();
  readonly #startedAt = Date.now();

  constructor() {
    const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;
    const realNow = performance.now.bind(performance);
    const realDate = Date.now;
    const clear = (timer: object): void => void this.#timers.delete(timer);
    Object.assign(globalThis, {
      setTimeout: (run: () => void, ms?: number) => this.#set(run, ms),
      setInterval: (run: () => void, ms = 1) => this.#set(run, ms, Math.max(1, ms)),
      clearTimeout: clear,
      clearInterval: clear,
    });
    performance.now = () => this.#now;
    Date.now = () => this.#startedAt + this.#now;
    defer(() => {
      Object.assign(globalThis, { setTimeout, clearTimeout, setInterval, clearInterval });
      performance.now = realNow;
      Date.now = realDate;
    });
  }

  /** ms since its creation */
  get now(): number {
    return this.#now;
  }

  /** Lets time pass, one timer after the other, each with all that follows from it. */
  async run(ms: number): Promise<void> {
    const end = this.#now + ms;
    await this.#settle();
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      const [key, timer] = next;
      this.#now = Math.max(this.#now, timer.at);
      if (timer.everyMs === undefined) this.#timers.delete(key);
      else timer.at += timer.everyMs;
      timer.run();
      await this.#settle();
    }
    this.#now = end;
  }

  #set(run: () => void, ms = 1, everyMs?: number): object {
    const key = {
      ref: () => key,
      unref: () => key,
      hasRef: () => true,
      [Symbol.toPrimitive]: () => this.#count,
    };
    this.#timers.set(key, { at: this.#now + Math.max(1, ms), order: ++this.#count, everyMs, run });
    return key;
  }

  #next(end: number): readonly [object, Timer] | undefined {
    let found: readonly [object, Timer] | undefined;
    for (const entry of this.#timers) {
      const [, { at, order }] = entry;
      const [, best] = found ?? [];
      if (at <= end && (best === undefined || at < best.at || (at === best.at && order < best.order)))
        found = entry;
    }
    return found;
  }

  async #settle(): Promise<void> {
    for (let quiet = 0, seen = this.#count; quiet < QUIET_TURNS; quiet += 1) {
      await turn();
      if (this.#count !== seen) [seen, quiet] = [this.#count, 0];
    }
  }
}
