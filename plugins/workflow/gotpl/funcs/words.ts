import { isLetter, isNumber, isPunctuation, isSpace, isUpper, lowerRune } from '../unicode.ts';

// How huandu/xstrings cuts a text into words for snake case and kebab case.

type WordKind = 'none' | 'number' | 'upper' | 'alphabet' | 'connector' | 'punctuation' | 'other';

interface Word {
  readonly kind: WordKind;
  readonly chars: readonly string[];
}

export function isConnector(char: string): boolean {
  return char === '-' || char === '_' || isSpace(char);
}

function isCjk(code: number): boolean {
  return (
    (code >= 0x4e00 && code <= 0x9fcc) ||
    (code >= 0x3400 && code <= 0x4d85) ||
    (code >= 0x20000 && code <= 0x2b81d)
  );
}

function isAlphabet(char: string): boolean {
  return isLetter(char) && !isCjk(char.codePointAt(0) ?? 0);
}

const isSmallAlphabet = (char: string): boolean => isAlphabet(char) && !isUpper(char);
const isOther = (char: string): boolean =>
  !isConnector(char) && !isAlphabet(char) && !isNumber(char) && !isPunctuation(char);

function runLength(chars: readonly string[], from: number, belongs: (char: string) => boolean): number {
  let at = from;
  while (at < chars.length && belongs(chars[at] ?? '')) at++;
  return at - from;
}

// The last capital of `HTTPStatus` starts the next word.
function upperLength(chars: readonly string[], from: number): number {
  const second = chars[from + 1];
  if (second === undefined) return 1;
  if (!isUpper(second)) return 1 + (isAlphabet(second) ? runLength(chars, from + 1, isSmallAlphabet) : 0);
  const capitals = 1 + runLength(chars, from + 1, isUpper);
  const next = chars[from + capitals];
  return next !== undefined && isAlphabet(next) ? capitals - 1 : capitals;
}

class WordReader {
  private readonly chars: readonly string[];
  private at = 0;

  constructor(text: string) {
    this.chars = Array.from(text);
  }

  get isDone(): boolean {
    return this.at >= this.chars.length;
  }

  next(): Word {
    const first = this.chars[this.at];
    if (first === undefined) return { kind: 'none', chars: [] };
    if (isConnector(first)) return this.word('connector', runLength(this.chars, this.at, isConnector));
    if (isPunctuation(first)) return this.word('punctuation', runLength(this.chars, this.at, isPunctuation));
    if (isUpper(first)) return this.word('upper', upperLength(this.chars, this.at));
    if (isAlphabet(first))
      return this.word('alphabet', 1 + runLength(this.chars, this.at + 1, isSmallAlphabet));
    if (isNumber(first)) return this.word('number', runLength(this.chars, this.at, isNumber));
    return this.word('other', 1 + runLength(this.chars, this.at + 1, isOther));
  }

  private word(kind: WordKind, length: number): Word {
    const chars = this.chars.slice(this.at, this.at + length);
    this.at += length;
    return { kind, chars };
  }
}

const isWordLike = (kind: WordKind): boolean => kind === 'alphabet' || kind === 'number';
const needsConnector = (kind: WordKind): boolean =>
  kind !== 'none' && kind !== 'connector' && kind !== 'punctuation';

/** Lower-cases a text and puts the connector between its words. */
export function connectWords(text: string, connector: string): string {
  return new Connecter(text, connector).run();
}

class Connecter {
  private readonly words: WordReader;
  private readonly connector: string;
  private out = '';
  private word: Word;

  constructor(text: string, connector: string) {
    this.words = new WordReader(text);
    this.connector = connector;
    this.word = this.words.next();
  }

  run(): string {
    while (!this.words.isDone) {
      const last = this.word;
      if (last.kind !== 'connector') this.write(last);
      this.word = this.words.next();
      this.between(last);
    }
    this.write(this.word);
    return this.out;
  }

  private write({ kind, chars }: Word): void {
    if (kind !== 'upper' && kind !== 'connector') this.out += chars.join('');
    else this.out += chars.map((char) => (isConnector(char) ? this.connector : lowerRune(char))).join('');
  }

  private between(last: Word): void {
    if (last.kind === 'number') this.afterNumber();
    else if (last.kind === 'connector') this.write(last);
    else if (last.kind !== 'punctuation') this.afterWord();
  }

  private writeWordLike(): void {
    while (isWordLike(this.word.kind)) {
      this.write(this.word);
      this.word = this.words.next();
    }
  }

  private afterNumber(): void {
    this.writeWordLike();
    if (needsConnector(this.word.kind)) this.out += this.connector;
  }

  // A number belongs to the word before it (`bld4`) unless lower-case letters follow it (`http_2xx`).
  private afterWord(): void {
    if (this.word.kind !== 'number') {
      if (this.word.kind !== 'connector' && this.word.kind !== 'punctuation') this.out += this.connector;
      return;
    }
    if (this.words.isDone) return;
    const number = this.word;
    this.word = this.words.next();
    if (this.word.kind !== 'alphabet') {
      this.write(number);
      if (this.word.kind !== 'connector' && this.word.kind !== 'punctuation') this.out += this.connector;
      return;
    }
    this.out += this.connector;
    this.write(number);
    this.afterNumber();
  }
}
