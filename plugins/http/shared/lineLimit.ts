import { LRUCache } from 'lru-cache';
import type { LogData } from 'pegboard';

const MAX_SOURCES = 10_000;
const WINDOW_MS = 60_000;

/** Log lines about requests that are refused: at most so many a minute for each source, so that a storm does not fill a disk. */
export class LineLimit {
  readonly #max: () => number;
  readonly #windows = new LRUCache<string, { readonly since: number; count: number }>({ max: MAX_SOURCES });

  /** @param max lines of a source in a minute */
  constructor(max: () => number) {
    this.#max = max;
  }

  /** Counts one more. @returns undefined if there is no line for it; else data for the line: `leftOut`, how many had none since
   *  the last one of the source, if any */
  admit(source: string): LogData | undefined {
    const now = Date.now();
    const known = this.#windows.get(source);
    if (known !== undefined && now - known.since < WINDOW_MS) {
      known.count += 1;
      return known.count <= this.#max() ? {} : undefined;
    }
    this.#windows.set(source, { since: now, count: 1 });
    const leftOut = (known?.count ?? 0) - this.#max();
    return leftOut > 0 ? { leftOut } : {};
  }
}
