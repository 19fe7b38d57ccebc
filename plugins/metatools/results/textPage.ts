/** What of a text is to be shown: characters (UTF-16 units), or lines, from 1, as far as `limit` goes. */
export interface Asked {
  readonly offset: number;
  readonly limit: number;
  readonly lines?: { readonly first: number; readonly last: number };
}
/** What stands before the first piece. */
export interface Counted {
  readonly chars: number;
  readonly newLines: number;
}

/** A page of a text that comes in pieces: keeps what is asked for and counts the rest. */
export class TextPage {
  readonly #limit: number;
  readonly #lines: Asked['lines'];
  #start: number | undefined;
  #end = Infinity;
  #kept = '';
  #chars: number;
  #newLines: number;

  constructor({ offset, limit, lines }: Asked, before: Counted = { chars: 0, newLines: 0 }) {
    this.#limit = limit;
    this.#lines = lines;
    this.#start = lines === undefined ? offset : lines.first === 1 ? 0 : undefined;
    this.#chars = before.chars;
    this.#newLines = before.newLines;
  }

  get counted(): Counted {
    return { chars: this.#chars, newLines: this.#newLines };
  }

  /** Where the page begins; undefined while the first line has not come. */
  get offset(): number | undefined {
    return this.#start;
  }

  /** Whether pieces that come after change nothing but the counts. */
  get isFull(): boolean {
    return this.#start !== undefined && this.#chars > Math.min(this.#start + this.#limit, this.#end);
  }

  /** Never half of a surrogate pair, never nothing while there is text. */
  get shown(): string {
    const length = this.#start === undefined ? 0 : this.#end - this.#start;
    return sliceText(this.#kept, 0, Math.max(Math.min(this.#limit, length), 1));
  }

  add(piece: string): void {
    const before = this.#chars;
    this.#chars += piece.length;
    for (let at = piece.indexOf('\n'); at >= 0; at = piece.indexOf('\n', at + 1)) {
      this.#newLines += 1;
      if (this.#newLines + 1 === this.#lines?.first) this.#start = before + at + 1;
      if (this.#newLines === this.#lines?.last) this.#end = before + at + 1;
    }
    if (this.#start === undefined) return;
    // One more, to know whether the last one is half of a pair.
    const end = this.#start + this.#limit + 1;
    if (end > before && this.#start < this.#chars)
      this.#kept += piece.slice(Math.max(this.#start - before, 0), end - before);
  }
}

/** At most `limit` characters (UTF-16 units) from `offset`; never half of a surrogate pair, never nothing while there is text. */
export function sliceText(text: string, offset: number, limit: number): string {
  const end = Math.min(text.length, offset + limit);
  const splitsPair = end < text.length && isHighSurrogate(text.charCodeAt(end - 1));
  if (!splitsPair) return text.slice(offset, end);
  return text.slice(offset, end - 1 > offset ? end - 1 : end + 1);
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** Line breaks in each so many characters of a text. */
export function* newLinesIn(text: string, chars: number): Generator<undefined, readonly number[]> {
  const counts: number[] = [];
  for (let at = 0; at < text.length; at += chars) {
    const part = text.slice(at, at + chars);
    let count = 0;
    for (let end = part.indexOf('\n'); end >= 0; end = part.indexOf('\n', end + 1)) count += 1;
    counts.push(count);
    yield;
  }
  return counts;
}

export function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
