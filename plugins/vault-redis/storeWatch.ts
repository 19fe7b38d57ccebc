import { messageOf, singleFlight } from 'pegboard';
import type { Log } from 'pegboard';
import type { Readiness } from '../contracts/http.ts';
import { ReplicaRefusal, isRefusal } from './refusal.ts';

/** Time until a verification that has failed is tried again. */
const RETRY_MS = 2_000;

export interface WatchParts {
  /** Everything that must hold. @throws GatewayError; a refusal lasts, other errors pass with the connection */
  readonly verify: () => Promise<void>;
  /** Connects anew, which resolves the name of the host anew. */
  readonly reopen: () => void;
  /** Called when all holds again that did not, for whatever reason. */
  readonly recovered: () => void;
  readonly everyMs: () => number;
  readonly log: Log;
}

/** Verifies the store at the start, and again whenever it may be another one: after each connection, and in between. While it
 *  is refused, this process is not ready. */
export class StoreWatch implements Readiness {
  readonly #parts: WatchParts;
  #refused: string | undefined;
  #isOpen = false;
  #isReplica = false;
  #hasFailed = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  get unready(): string | undefined {
    return this.#refused === undefined ? undefined : 'its Redis cannot be used; the log says why';
  }

  /** @throws GatewayError STORE_UNREACHABLE */
  async open(): Promise<void> {
    await this.#parts.verify();
    this.#isOpen = true;
    this.#again(this.#parts.everyMs());
  }

  close(): void {
    this.#isOpen = false;
    clearTimeout(this.#timer);
  }

  /** Something may have changed. Never fails. */
  readonly check = singleFlight(() => this.#check());

  async #check(): Promise<void> {
    if (!this.#isOpen) return;
    const { verify, everyMs } = this.#parts;
    let waitMs = everyMs();
    try {
      this.#isReplica = false;
      await verify();
      this.#accept();
    } catch (error) {
      // What passes with the connection is said by that.
      if (isRefusal(error)) this.#refuse(messageOf(error));
      this.#hasFailed = true;
      this.#isReplica = error instanceof ReplicaRefusal;
      waitMs = Math.min(waitMs, RETRY_MS);
    }
    this.#again(waitMs);
  }

  #again(waitMs: number): void {
    clearTimeout(this.#timer);
    if (this.#isOpen) this.#timer = setTimeout(() => this.#retry(), waitMs);
  }

  #retry(): void {
    // Only here: each new connection is verified, too, and would be followed by another one at once.
    if (this.#isReplica) this.#parts.reopen();
    void this.check();
  }

  #accept(): void {
    if (this.#hasFailed) this.#parts.recovered();
    this.#hasFailed = false;
    if (this.#refused === undefined) return;
    this.#refused = undefined;
    this.#parts.log.info('Redis can be used again; this process is ready');
  }

  #refuse(reason: string): void {
    if (this.#refused === reason || !this.#isOpen) return;
    this.#refused = reason;
    this.#parts.log.error('Redis cannot be used any more; this process is not ready until it can', {
      reason,
    });
  }
}
