import { GatewayError } from 'pegboard';

export interface FlowLimits {
  readonly maxUnaskedPerSecond: number;
}

/** So much text costs about as much as a line. */
const CHARS_PER_LINE = 4_096;
/** The cost of a line that takes little work: blank lines, comments, standard error, progress of a running call. */
export const LIGHT_LINE = 1 / 16;
/** The cost of a line that takes long: a request, whose answer is often a POST, and JSON that cannot be read. */
export const HEAVY_LINE = 20;
/** How much may arrive at once: what a gateway that was busy reads is older than a second. */
const BURST_MS = 2_000;
/** From so much at once on, others get a turn between two chunks. */
const TURN_MS = 20;

/** The budget for unsolicited messages of one connection, which is closed when it is spent. Answers to requests are free. */
export class UnaskedFlow {
  readonly #limits: () => FlowLimits;
  readonly #flooded: (error: GatewayError) => void;
  /** When the budget for everything read so far has recovered. */
  #paidAt = 0;
  #isEnded = false;

  /** @param flooded called once: the connection must be closed */
  constructor(limits: () => FlowLimits, flooded: (error: GatewayError) => void) {
    this.#limits = limits;
    this.#flooded = flooded;
  }

  /** Whether so much has just arrived that the next chunk must wait until others had a turn. */
  get isAhead(): boolean {
    return this.#paidAt - performance.now() > TURN_MS;
  }

  /** @param chars total length of the lines */
  took(lines: number, chars: number): void {
    if (lines === 0 || this.#isEnded) return;
    const { maxUnaskedPerSecond: max } = this.#limits();
    const now = performance.now();
    // One message of any size is not a flood.
    const cost = lines + Math.min(chars / CHARS_PER_LINE, max);
    this.#paidAt = Math.max(this.#paidAt, now) + (cost * 1_000) / max;
    if (this.#paidAt - now <= BURST_MS) return;
    this.end();
    const what = `more than ${max} lines a second that answer no call`;
    const text = `it sent ${what}; make it send less, or raise maxUnaskedPerSecond`;
    this.#flooded(new GatewayError('UPSTREAM_CLOSED', text));
  }

  /** Nothing is counted any more. Safe to call twice. */
  end(): void {
    this.#isEnded = true;
  }
}
