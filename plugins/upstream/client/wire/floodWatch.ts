import { GatewayError } from 'pegboard';

export interface FloodLimits {
  readonly maxUnaskedPerSecond: number;
  readonly floodMs: number;
}

/** Is notified of a server that sends too much. */
export interface FloodListener {
  /** Reading is paused most of the time; undefined: no longer. */
  flooding(error: GatewayError | undefined): void;
  /** The flood lasts too long: the connection must be closed. */
  flooded(error: GatewayError): void;
}

/** How long a flood lasts before it is reported, and how long after the last pause it counts as over. */
const TELL_MS = 1_000;

/** Distinguishes a flood from occasional bursts: in a flood, reading is paused most of the time. */
export class FloodWatch {
  readonly #limits: () => FloodLimits;
  readonly #listener: FloodListener;
  #begunAt = 0;
  #heldMs = 0;
  #heldAt = 0;
  #isTold = false;
  #calm: NodeJS.Timeout | undefined;

  constructor(limits: () => FloodLimits, listener: FloodListener) {
    this.#limits = limits;
    this.#listener = listener;
  }

  held(now: number): void {
    clearTimeout(this.#calm);
    this.#heldAt = now;
    if (this.#heldMs < (now - this.#begunAt) / 2) {
      this.#begunAt = now;
      this.#heldMs = 0;
    }
    const { maxUnaskedPerSecond, floodMs } = this.#limits();
    const lastedMs = now - this.#begunAt;
    const what = `more than ${maxUnaskedPerSecond} lines a second that answer no call`;
    if (floodMs > 0 && lastedMs >= floodMs) {
      const seconds = Math.round(lastedMs / 100) / 10;
      const text = `for ${seconds} s it sent ${what}; make it send less, or raise maxUnaskedPerSecond`;
      this.#listener.flooded(new GatewayError('UPSTREAM_CLOSED', text, { details: { floodedMs: lastedMs } }));
    } else if (lastedMs >= TELL_MS && !this.#isTold) {
      this.#isTold = true;
      const text = `it sends ${what} and is read no faster than that; make it send less`;
      this.#listener.flooding(new GatewayError('UPSTREAM_PROTOCOL', text));
    }
  }

  released(now: number): void {
    this.#heldMs += now - this.#heldAt;
    if (this.#isTold) this.#calm = setTimeout(() => this.#over(), TELL_MS);
  }

  end(): void {
    clearTimeout(this.#calm);
  }

  #over(): void {
    this.#isTold = false;
    this.#listener.flooding(undefined);
  }
}
