import type { UpstreamConfig } from '../config.ts';
import { backoffMs } from './backoffMs.ts';

export interface RetryParts {
  readonly config: () => UpstreamConfig;
  readonly isReady: () => boolean;
  readonly begin: () => void;
}

/** When a server that failed is tried again: at growing distance with every failure in a row. */
export class RetrySchedule {
  readonly #parts: RetryParts;
  #failures = 0;
  /** When the present connection was made; never, without one. */
  #readyAt = Number.POSITIVE_INFINITY;
  #at: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: RetryParts) {
    this.#parts = parts;
  }

  /** Failures in a row; a connection that has lasted makes the next one the first. */
  get failures(): number {
    return this.#failuresAt(performance.now());
  }
  /** ms since the epoch; undefined when no attempt is planned */
  get at(): number | undefined {
    return this.#at;
  }
  get isSoon(): boolean {
    return this.#at !== undefined && this.#at - Date.now() <= this.#parts.config().retryWaitMs;
  }

  /** Somebody asked for the next attempt: its failure is the first. */
  reset(): void {
    this.#failures = 0;
  }
  connected(): void {
    this.#readyAt = performance.now();
  }
  /** @param floodedMs for how long the connection was bad before */
  failed(floodedMs = 0): void {
    this.#failures = this.#failuresAt(performance.now() - floodedMs) + 1;
    this.#readyAt = Number.POSITIVE_INFINITY;
  }

  /** @param askedSeconds how long the server wants to be left alone */
  plan(askedSeconds = 0): void {
    const { backoffFirstMs, backoffMaxMs, maxRetryAfterMs } = this.#parts.config();
    const ownMs = backoffMs(this.#failures, { firstMs: backoffFirstMs, maxMs: backoffMaxMs });
    const waitMs = Math.max(ownMs, Math.min(askedSeconds * 1_000, maxRetryAfterMs));
    this.#at = Date.now() + waitMs;
    this.#timer = setTimeout(this.#parts.begin, waitMs);
  }
  #failuresAt(now: number): number {
    const { isReady, config } = this.#parts;
    const hasLasted = isReady() && now - this.#readyAt >= config().healthyAfterMs;
    return hasLasted ? 0 : this.#failures;
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#at = undefined;
  }
}
