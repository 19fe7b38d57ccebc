import { FloodWatch } from './floodWatch.ts';
import type { FloodLimits, FloodListener } from './floodWatch.ts';

export interface FlowLimits extends FloodLimits {
  readonly unaskedSliceMs: number;
}

/** A KiB of text costs about as much as a line. */
const CHARS_PER_LINE = 1_024;
/** Of lines that are only looked at: blank ones, comments, standard error. */
export const LIGHT_LINE = 1 / 16;

/** The pace at which is read what one server says unasked. Above it, what it says stays in its pipe or socket until that is
 *  paid for: the server is slowed down and nobody else. Answers to requests are free. */
export class UnaskedFlow {
  readonly #limits: () => FlowLimits;
  readonly #flood: FloodWatch;
  /** When all that was taken is paid for. */
  #paidAt = 0;
  #waiting: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isFree = false;
  #isEnded = false;

  constructor(limits: () => FlowLimits, listener: FloodListener) {
    this.#limits = limits;
    this.#flood = new FloodWatch(limits, listener);
  }

  /** @param chars how long it is in all @returns whether more may be read now; else goOnLater() */
  took(lines: number, chars: number): boolean {
    if (lines === 0 || this.#isFree) return true;
    const { maxUnaskedPerSecond, unaskedSliceMs } = this.#limits();
    const now = performance.now();
    const costMs = ((lines + chars / CHARS_PER_LINE) * 1_000) / maxUnaskedPerSecond;
    this.#paidAt = Math.max(this.#paidAt, now) + costMs;
    return this.#paidAt - now < unaskedSliceMs;
  }

  /** @param goOn runs once what was taken is paid for */
  goOnLater(goOn: () => void): void {
    this.#waiting.push(goOn);
    if (this.#isEnded || this.#timer !== undefined) return;
    const now = performance.now();
    this.#timer = setTimeout(() => this.#goOn(), this.#paidAt - now);
    this.#flood.held(now);
  }

  /** What is still to come is read without a pause. */
  free(): void {
    this.#isFree = true;
    this.#goOn();
  }

  /** Nothing more is read, but for what is set free later. Safe twice. */
  end(): void {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    this.#flood.end();
  }

  #goOn(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#isEnded) this.#flood.released(performance.now());
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const goOn of waiting) goOn();
  }
}
