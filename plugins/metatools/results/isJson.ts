/** Characters from one pause to the next: a few milliseconds. */
const PIECE_CHARS = 262_144;
const QUOTE = 34;
const BACKSLASH = 92;
const SPACES = ' \t\r\n';
const ESCAPED = '"\\/bfnrt';
const HEX = /[0-9a-fA-F]{4}/y;
const PLAIN = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null/y;

type Pausing<T> = Generator<undefined, T>;

/** Whether JSON.parse would make an array or object of a text. In pieces: for what is wide JSON.parse takes seconds. */
export function* isJson(text: string): Pausing<boolean> {
  const checker = new Checker(text);
  return '[{'.includes(checker.next) && (yield* checker.check());
}

class Checker {
  readonly #text: string;
  #at = 0;
  #pauseAt = PIECE_CHARS;
  /** What closes what is open, the innermost last. */
  readonly #ends: string[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  /** The next character that is no white space; empty at the end. */
  get next(): string {
    let char = this.#text.charAt(this.#at);
    while (char !== '' && SPACES.includes(char)) char = this.#text.charAt(++this.#at);
    return char;
  }

  *check(): Pausing<boolean> {
    let isValid = yield* this.#value();
    while (isValid && this.#ends.length > 0) {
      if (this.#isDue()) yield;
      isValid = this.#skip(',') ? yield* this.#member() : this.#close();
    }
    return isValid && this.next === '';
  }

  /** A value, or the beginning of one with the first value in it. */
  *#value(): Pausing<boolean> {
    for (;;) {
      if (this.#isDue()) yield;
      if (this.next === '"') return yield* this.#string();
      const isObject = this.#skip('{');
      if (!isObject && !this.#skip('[')) return this.#matches(PLAIN);
      this.#ends.push(isObject ? '}' : ']');
      if (this.next === this.#ends.at(-1)) return true;
      if (isObject && !(yield* this.#key())) return false;
    }
  }

  *#member(): Pausing<boolean> {
    return (this.#ends.at(-1) === ']' || (yield* this.#key())) && (yield* this.#value());
  }

  *#key(): Pausing<boolean> {
    return this.next === '"' && (yield* this.#string()) && this.#skip(':');
  }

  *#string(): Pausing<boolean> {
    for (this.#at += 1; ; this.#at += 1) {
      if (this.#isDue()) yield;
      const code = this.#text.charCodeAt(this.#at);
      // Not at the end of the text either, which has no code.
      if (!(code >= 32)) return false;
      if (code === QUOTE) return this.#skip('"');
      if (code === BACKSLASH && !this.#escape()) return false;
    }
  }

  #escape(): boolean {
    const char = this.#text.charAt(++this.#at);
    if (char !== 'u') return char !== '' && ESCAPED.includes(char);
    this.#at += 1;
    const isHex = this.#matches(HEX);
    this.#at -= 1;
    return isHex;
  }

  #close(): boolean {
    return this.#skip(this.#ends.pop() ?? '');
  }

  #skip(char: string): boolean {
    const isThere = this.next === char;
    if (isThere) this.#at += 1;
    return isThere;
  }

  #matches(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) return false;
    this.#at = pattern.lastIndex;
    return true;
  }

  #isDue(): boolean {
    if (this.#at < this.#pauseAt) return false;
    this.#pauseAt = this.#at + PIECE_CHARS;
    return true;
  }
}
