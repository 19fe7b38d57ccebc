import type { Quotas } from '../contracts/processes.ts';
import type { Limit } from './config.ts';

/** The part of a shared limit that this process has drawn, for the calls of about one window. */
export class DrawnCalls {
  readonly #name: string;
  readonly #quotas: () => Quotas;
  limit: Limit;
  /** Calls that are drawn and not made. */
  #calls = 0;
  /** Calls that may run at a time. */
  #held = 0;
  #running = 0;
  #waiting = 0;
  /** Calls made in this window. */
  #made = 0;
  #mostRunning = 0;
  #drawing: Promise<number> | undefined;

  constructor(name: string, limit: Limit, quotas: () => Quotas) {
    this.#name = name;
    this.limit = limit;
    this.#quotas = quotas;
  }

  /** Whether a call can be made without a round trip. */
  get isFree(): boolean {
    const { callsPerMinute, concurrent } = this.limit;
    return (callsPerMinute === 0 || this.#calls > 0) && (concurrent === 0 || this.#running < this.#held);
  }
  isInUse(): boolean {
    return this.#made > 0 || this.#running > 0 || this.#waiting > 0;
  }

  take(): void {
    if (this.limit.callsPerMinute > 0) this.#calls -= 1;
    this.#made += 1;
    this.#running += 1;
    this.#mostRunning = Math.max(this.#mostRunning, this.#running);
  }

  release(): void {
    this.#running -= 1;
  }

  /** Draws for the calls that wait, in one round trip for those that come together, and for as many as were made in this window.
   *  @returns ms until the next call can be drawn; 0 if each waiting call got one; Infinity if too many calls run
   *  @throws GatewayError STORE_UNREACHABLE */
  async draw(): Promise<number> {
    this.#waiting += 1;
    try {
      this.#drawing ??= Promise.resolve()
        .then(() => this.#draw(this.#waiting, this.#made))
        .finally(() => (this.#drawing = undefined));
      return await this.#drawing;
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Begins a window with what the last one has used, and gives the rest back. @throws GatewayError STORE_UNREACHABLE */
  async renew(): Promise<void> {
    const made = this.#made;
    const mostRunning = this.#mostRunning;
    this.#made = 0;
    this.#mostRunning = this.#running;
    await this.#keep(made, mostRunning);
  }

  /** @throws GatewayError STORE_UNREACHABLE */
  async giveBack(): Promise<void> {
    await this.#keep(0, this.#running);
  }

  async #keep(calls: number, hold: number): Promise<void> {
    const back = Math.max(this.#calls - calls, 0);
    // Before the round trip: what is given back cannot be used meanwhile.
    this.#calls -= back;
    this.#held = Math.min(this.#held, hold);
    await this.#ask({ calls: 0, spare: calls - this.#calls, back, hold });
  }

  async #draw(waiting: number, spare: number): Promise<number> {
    const { callsPerMinute, concurrent } = this.limit;
    const calls = callsPerMinute === 0 ? 0 : Math.max(waiting - this.#calls, 0);
    const hold = Math.max(this.#running + waiting, this.#held);
    const waitMs = await this.#ask({ calls, spare: calls === 0 ? 0 : spare, back: 0, hold });
    return concurrent > 0 && this.#running >= this.#held ? Infinity : waitMs;
  }

  async #ask(draw: Parameters<Quotas['draw']>[2]): Promise<number> {
    const drawn = await this.#quotas().draw(this.#name, this.limit, draw);
    this.#calls += drawn.calls;
    this.#held = drawn.held;
    return drawn.waitMs;
  }
}
