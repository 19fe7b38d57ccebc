import { GatewayError } from 'pegboard';

export interface FloodLimits {
  readonly maxUnaskedPerSecond: number;
  readonly floodMs: number;
}

/** What becomes of a server that goes on and on. */
export interface FloodListener {
  /** It is held most of the time; undefined: no more. */
  flooding(error: GatewayError | undefined): void;
  /** For too long: its connection is to be ended. */
  flooded(error: GatewayError): void;
}

/** How long a flood lasts before it is told of, and how long after the last hold it is over. */
const TELL_MS = 1_000;

/** Tells a flood from a server that says much at once now and then: it is held for most of the time. */
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
      const text = `for ${seconds} s it sent ${what}; have it say less, or raise maxUnaskedPerSecond`;
      this.#listener.flooded(new GatewayError('UPSTREAM_CLOSED', text, { details: { floodedMs: lastedMs } }));
    } else if (lastedMs >= TELL_MS && !this.#isTold) {
      this.#isTold = true;
      const text = `it sends ${what} and is read no faster than that; have it say less`;
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
