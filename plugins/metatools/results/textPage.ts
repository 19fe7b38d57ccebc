/** The requested part of a text: from `offset` (UTF-16 units), or lines, from 1; at most `limit` UTF-16 units. */
export interface AskedText {
  readonly offset: number;
  readonly limit: number;
  readonly lines?: { readonly first: number; readonly last: number };
}
/** Size of the text before the first piece. */
export interface Counted {
  readonly chars: number;
  readonly newLines: number;
}

/** A page, and the size of its whole text. */
export interface Shown {
  /** Undefined if its first line does not exist. */
  readonly offset: number | undefined;
  readonly shown: string;
  readonly counted: Counted;
}

/** A page of a text received in pieces: keeps the requested part and counts the rest. */
export class TextPage implements Shown {
  readonly #limit: number;
  readonly #lines: AskedText['lines'];
  #start: number | undefined;
  #end = Infinity;
  #kept = '';
  #chars: number;
  #newLines: number;

  constructor({ offset, limit, lines }: AskedText, before: Counted = { chars: 0, newLines: 0 }) {
    this.#limit = limit;
    this.#lines = lines;
    this.#start = lines === undefined ? offset : lines.first === 1 ? 0 : undefined;
    this.#chars = before.chars;
    this.#newLines = before.newLines;
  }

  get counted(): Counted {
    return { chars: this.#chars, newLines: this.#newLines };
  }

  /** The offset of the page; undefined until its first line is reached. */
  get offset(): number | undefined {
    return this.#start;
  }

  /** Whether further pieces change only the counts. */
  get isFull(): boolean {
    return this.#start !== undefined && this.#chars > Math.min(this.#start + this.#limit, this.#end);
  }

  /** The page's text: never half of a surrogate pair, and not empty while there is text. */
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
    // One more unit, to see whether the last one is half of a surrogate pair.
    const end = this.#start + this.#limit + 1;
    if (end > before && this.#start < this.#chars)
      this.#kept += piece.slice(Math.max(this.#start - before, 0), end - before);
  }
}

/** The text from `offset`, `limit` UTF-16 units at most; never half of a surrogate pair, and not empty while there is text. */
export function sliceText(text: string, offset: number, limit: number): string {
  const end = Math.min(text.length, offset + limit);
  const splitsPair = end < text.length && isHighSurrogate(text.charCodeAt(end - 1));
  if (!splitsPair) return text.slice(offset, end);
  return text.slice(offset, end - 1 > offset ? end - 1 : end + 1);
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** The number of line breaks in each part of `chars` characters. */
export function newLinesIn(text: string, chars: number): readonly number[] {
  const counts = new Array<number>(Math.ceil(text.length / chars)).fill(0);
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    const part = Math.floor(at / chars);
    counts[part] = (counts[part] ?? 0) + 1;
  }
  return counts;
}

export function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
