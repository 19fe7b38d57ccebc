import { FloodWatch } from './floodWatch.ts';
import type { FloodLimits, FloodListener } from './floodWatch.ts';

export interface FlowLimits extends FloodLimits {
  readonly unaskedSliceMs: number;
}

/** 1 KiB of text costs about as much as a line. */
const CHARS_PER_LINE = 1_024;
/** The cost of a line that is not parsed: blank lines, comments, standard error. */
export const LIGHT_LINE = 1 / 16;

/** The pace at which unsolicited messages of one server are read. Beyond it, messages stay in the pipe or socket until the
 *  budget has recovered: only this server is slowed down. Answers to requests are free. */
export class UnaskedFlow {
  readonly #limits: () => FlowLimits;
  readonly #flood: FloodWatch;
  /** When the budget for everything read so far has recovered. */
  #paidAt = 0;
  #waiting: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isFree = false;
  #isEnded = false;

  constructor(limits: () => FlowLimits, listener: FloodListener) {
    this.#limits = limits;
    this.#flood = new FloodWatch(limits, listener);
  }

  /** @param chars total length of the lines @returns whether more may be read now; otherwise call goOnLater() */
  took(lines: number, chars: number): boolean {
    if (lines === 0 || this.#isFree) return true;
    const { maxUnaskedPerSecond, unaskedSliceMs } = this.#limits();
    const now = performance.now();
    const costMs = ((lines + chars / CHARS_PER_LINE) * 1_000) / maxUnaskedPerSecond;
    this.#paidAt = Math.max(this.#paidAt, now) + costMs;
    return this.#paidAt - now < unaskedSliceMs;
  }

  /** @param goOn runs after the budget has recovered */
  goOnLater(goOn: () => void): void {
    this.#waiting.push(goOn);
    if (this.#isEnded || this.#timer !== undefined) return;
    const now = performance.now();
    this.#timer = setTimeout(() => this.#goOn(), this.#paidAt - now);
    this.#flood.held(now);
  }

  /** Reads the rest without a pause. */
  free(): void {
    this.#isFree = true;
    this.#goOn();
  }

  /** Reads nothing more until free() is called. Safe to call twice. */
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
