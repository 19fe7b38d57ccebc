import { setTimeout as pause } from 'node:timers/promises';

/** A token bucket, as client-go has one: so many at once, then so many per second. */
export class Pace {
  readonly #perSecond: number;
  readonly #burst: number;
  #tokens: number;
  #at = performance.now();

  constructor(perSecond: number, burst: number) {
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#tokens = burst;
  }

  /** How long the next one has to wait if it comes now. */
  get waitMs(): number {
    const now = performance.now();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#at) * this.#perSecond) / 1_000);
    this.#at = now;
    return Math.max(0, Math.ceil(((1 - this.#tokens) * 1_000) / this.#perSecond));
  }

  /** Takes a place. @returns how long to wait for it */
  take(): number {
    const { waitMs } = this;
    this.#tokens -= 1;
    return waitMs;
  }

  /** Resolves when a request may be sent, in order of the calls. */
  async turn(): Promise<void> {
    const waitMs = this.take();
    if (waitMs > 0) await pause(waitMs);
  }
}
