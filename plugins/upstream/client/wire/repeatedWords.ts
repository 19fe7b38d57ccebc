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

  /** A process begins. */
  begin(): void {
    this.#equal = this.#former.length > 0 ? 0 : undefined;
    this.#lines = [];
  }

  /** @returns `same`: as before, so far; otherwise how many lines before this one were */
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
    return equal;
  }

  /** The process has ended by itself. @returns what was as before to its end; undefined if nothing was */
  died(): { readonly lines: number; readonly attempt: number } | undefined {
    const lines = this.#equal ?? 0;
    this.#attempt = lines > 0 ? this.#attempt + 1 : 1;
    this.#former = this.#lines;
    return lines > 0 ? { lines, attempt: this.#attempt } : undefined;
  }

  /** The gateway has ended the process: what the next one writes is news. */
  forget(): void {
    this.#former = [];
    this.#attempt = 1;
  }
}

function withoutNumbers(words: string): string {
  return words.replaceAll(/\d+/g, '0');
}
