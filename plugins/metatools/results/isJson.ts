import { PIECE_CHARS } from './jsonReader.ts';

const QUOTE = 34;
const BACKSLASH = 92;
const SPACES = ' \t\r\n';
const ESCAPED = '"\\/bfnrt';
const HEX = /[0-9a-fA-F]{4}/y;
const PLAIN = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null/y;

type Pausing<T> = Generator<undefined, T>;

/** Whether JSON.parse would return an array or object. Checks in pieces: JSON.parse takes seconds for large objects. */
export function* isJson(text: string): Pausing<boolean> {
  const checker = new Checker(text);
  return '[{'.includes(checker.next) && (yield* checker.check());
}

class Checker {
  readonly #text: string;
  #at = 0;
  #pauseAt = PIECE_CHARS;
  /** Closing brackets of the open containers, innermost last. */
  readonly #ends: string[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  /** The next character that is not white space; empty at the end. */
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

  /** Reads a value; of a container only its start and its first value. */
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
      // Negated, so that NaN at the end of the text is rejected too.
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
