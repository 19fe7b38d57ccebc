const MAX_LINES = 200;
const MAX_CHARS = 200;

/** Finds processes that write the words of the one before, which has ended by itself: a crash loop logs them once.
 *  Numbers may differ: process ids, times, ports. */
export class RepeatedWords {
  #former: readonly string[] = [];
  #lines: string[] = [];
  /** How many lines are as before; undefined once one is not. */
  #equal: number | undefined;
  #attempt = 1;
  /** How many of the equal lines are reported. */
  #told = 0;

  /** A process begins. */
  begin(): void {
    this.#equal = this.#former.length > 0 ? 0 : undefined;
    this.#lines = [];
    this.#told = 0;
  }

  /** @returns `same`: as before, so far; otherwise how many lines before this one were, and are not reported */
  hear(line: string): 'same' | number {
    const words = line.slice(0, MAX_CHARS);
    if (this.#lines.length < MAX_LINES) this.#lines.push(words);
    const equal = this.#equal;
    if (equal === undefined) return 0;
    const former = this.#former[equal];
    if (former !== undefined && withoutNumbers(former) === withoutNumbers(words)) {
      this.#equal = equal + 1;
      return 'same';
    }
    this.#equal = undefined;
    return equal - this.#told;
  }

  /** What was as before and is not reported; undefined if nothing is. */
  news(): { readonly lines: number; readonly attempt: number } | undefined {
    const lines = this.#equal ?? 0;
    if (lines <= this.#told) return undefined;
    this.#told = lines;
    return { lines, attempt: this.#attempt + 1 };
  }

  /** The process has ended by itself. */
  died(): void {
    this.#attempt = (this.#equal ?? 0) > 0 ? this.#attempt + 1 : 1;
    this.#former = this.#lines;
  }

  /** The gateway has ended the process: what the next one writes is news. */
  forget(): void {
    this.#former = [];
    this.#attempt = 1;
  }
}

/** A number that says what has happened stays: HTTP 401 is not HTTP 503. */
function withoutNumbers(words: string): string {
  return words.replaceAll(NUMBER, (all, meaning?: string) => (meaning === undefined ? '0' : all));
}
const NUMBER = /(\b(?:http(?:\/\d(?:\.\d)?)?|status|code|exit)\W{0,3})?\d+/gi;
