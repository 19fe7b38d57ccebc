import type { UpstreamConfig } from '../config.ts';
import { retryWaitMs } from '../client/backoffMs.ts';

/** When a failed server is tried again: after growing waits, with every consecutive failure. */
export class RetrySchedule {
  readonly #config: () => UpstreamConfig;
  readonly #isReady: () => boolean;
  readonly #begin: () => void;
  #failures = 0;
  /** When the current connection was established; Infinity without one. */
  #readyAt = Number.POSITIVE_INFINITY;
  #at: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(config: () => UpstreamConfig, isReady: () => boolean, begin: () => void) {
    this.#config = config;
    this.#isReady = isReady;
    this.#begin = begin;
  }

  /** Consecutive failures; a connection that has lasted `healthyAfterMs` resets the count. */
  get failures(): number {
    const hasLasted = this.#isReady() && performance.now() - this.#readyAt >= this.#config().healthyAfterMs;
    return hasLasted ? 0 : this.#failures;
  }
  /** Whether it has failed `unreachableAfter` times in a row. */
  get isSpent(): boolean {
    return this.failures >= this.#config().unreachableAfter;
  }
  /** ms since the epoch; undefined if no attempt is planned */
  get at(): number | undefined {
    return this.#at;
  }
  get isSoon(): boolean {
    return this.#at !== undefined && this.#at - Date.now() <= this.#config().retryWaitMs;
  }

  /** The next attempt was requested: its failure counts as the first. */
  reset(): void {
    this.#failures = 0;
  }
  connected(): void {
    this.#readyAt = performance.now();
  }
  failed(): void {
    this.#failures = this.failures + 1;
    this.#readyAt = Number.POSITIVE_INFINITY;
  }

  /** @param askedSeconds the wait that the server requested with Retry-After */
  plan(askedSeconds = 0): void {
    const waitMs = retryWaitMs(this.#failures, askedSeconds, this.#config());
    this.#at = Date.now() + waitMs;
    this.#timer = setTimeout(this.#begin, waitMs);
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#at = undefined;
  }
}
