import { GatewayError } from 'pegboard';

/** Yielded among places to mark where the caller may yield the event loop. */
export const PAUSE = -1;
/** Yields the offsets at which values begin, and pauses. */
export type Offsets = Generator<number, void>;
/** Yields pauses and returns a result. */
export type Pausing<T> = Generator<number, T>;

/** Characters from one pause to the next: a few milliseconds. */
export const PIECE_CHARS = 262_144;
/** Cost of visiting a value, added to its characters. */
const VALUE_CHARS = 16;
/** Maximum number of characters skipped at once. */
const RUN_CHARS = 4_096;
const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const ARRAY = 91;
const BACKSLASH = 92;
const ARRAY_END = 93;
const OBJECT = 123;
const OBJECT_END = 125;

/** Reads JSON text in place: parses only the requested values, and pauses regularly. Only for valid JSON. */
export class JsonReader {
  readonly text: string;
  readonly #maxChars: number;
  #spent = 0;
  #pauseAt: number;

  /** @param maxChars limit of characters read and written in total */
  constructor(text: string, maxChars: number) {
    this.text = text;
    this.#maxChars = maxChars;
    this.#pauseAt = Math.min(PIECE_CHARS, maxChars + 1);
  }

  get root(): number {
    return this.past(0);
  }

  isArray(at: number): boolean {
    return this.text.charCodeAt(at) === ARRAY;
  }
  isObject(at: number): boolean {
    return this.text.charCodeAt(at) === OBJECT;
  }
  isString(at: number): boolean {
    return this.text.charCodeAt(at) === QUOTE;
  }
  isClosing(at: number): boolean {
    const code = this.text.charCodeAt(at);
    return code === ARRAY_END || code === OBJECT_END;
  }
  isContainer(at: number): boolean {
    const code = this.text.charCodeAt(at);
    return code === ARRAY || code === OBJECT;
  }

  /** Counts characters that are read or written. @returns whether it is time for a pause
   *  @throws GatewayError TOOL_ARGUMENTS when maxChars is exceeded */
  spend(chars: number): boolean {
    this.#spent += chars;
    if (this.#spent < this.#pauseAt) return false;
    if (this.#spent > this.#maxChars) throw tooMuch(this.#maxChars);
    this.#pauseAt = Math.min(this.#spent + PIECE_CHARS, this.#maxChars + 1);
    return true;
  }

  /** Calls spend() for one more visit of a value. */
  look(): boolean {
    return this.spend(VALUE_CHARS);
  }

  /** The next place that is not white space. */
  past(at: number): number {
    let end = at;
    while (isSpace(this.text.charCodeAt(end))) end += 1;
    return end;
  }

  /** The end of the string, number or word at a place. */
  scalarEnd(at: number): number {
    if (this.isString(at)) return this.#stringEnd(at);
    let end = at + 1;
    while (end < this.text.length && !isBoundary(this.text.charCodeAt(end))) end += 1;
    return end;
  }

  /** The string, number or word at a place; undefined for an array or object. */
  scalar(at: number): unknown {
    if (this.isContainer(at)) return undefined;
    const end = this.scalarEnd(at);
    this.#spent += end - at;
    return JSON.parse(this.text.slice(at, end));
  }

  /** The end of the value at a place. */
  *end(at: number): Pausing<number> {
    if (!this.isContainer(at)) return this.scalarEnd(at);
    let to = at;
    for (let depth = 0; ;) {
      const from = to;
      [to, depth] = this.#passed(to, depth);
      if (this.spend(to - from)) yield PAUSE;
      if (depth === 0) return to;
    }
  }

  /** The items of an array or the values of an object. */
  children(at: number): Offsets {
    return this.isObject(at) ? this.#values(at) : this.parts(at);
  }

  /** The items of an array or the keys of an object; empty for any other value. */
  *parts(at: number): Offsets {
    if (!this.isContainer(at)) return;
    const isObject = this.isObject(at);
    let part = this.past(at + 1);
    while (!this.isClosing(part)) {
      yield part;
      const value = isObject ? this.valueOf(part) : part;
      const end = this.isContainer(value) ? yield* this.end(value) : this.scalarEnd(value);
      const next = this.past(end);
      const from = this.isContainer(value) ? end : part;
      part = this.text.charCodeAt(next) === COMMA ? this.past(next + 1) : next;
      if (this.spend(part - from + VALUE_CHARS)) yield PAUSE;
    }
  }

  *#values(at: number): Offsets {
    for (const key of this.parts(at)) yield key === PAUSE ? PAUSE : this.valueOf(key);
  }

  /** The value of the key at a place. */
  valueOf(key: number): number {
    return this.past(this.past(this.#stringEnd(key)) + 1);
  }

  /** The value of a key in an object, of equal keys the last one, as in JSON.parse; undefined if there is none. */
  *member(at: number, key: string): Pausing<number | undefined> {
    if (!this.isObject(at)) return undefined;
    const quoted = JSON.stringify(key);
    let found: number | undefined;
    for (const part of this.parts(at)) {
      if (part === PAUSE) yield PAUSE;
      else if (this.#isKey(part, key, quoted)) found = this.valueOf(part);
    }
    return found;
  }

  /** The value at a place and all values inside it, in the order of the text. */
  *below(at: number): Offsets {
    let depth = 0;
    let next = at;
    do {
      let from = next;
      const code = this.text.charCodeAt(next);
      if (code === ARRAY_END || code === OBJECT_END) [depth, next] = [depth - 1, next + 1];
      else if (code === COMMA || isSpace(code)) next = this.past(next + 1);
      else if (code === QUOTE && depth > 0 && this.#isFollowedByColon(next)) next = this.valueOf(next);
      else {
        yield next;
        from -= VALUE_CHARS;
        if (code === ARRAY || code === OBJECT) [depth, next] = [depth + 1, next + 1];
        else next = this.scalarEnd(next);
      }
      if (this.spend(next - from)) yield PAUSE;
    } while (depth > 0);
  }

  #isKey(at: number, key: string, quoted: string): boolean {
    if (this.text.startsWith(quoted, at)) return true;
    const raw = this.text.slice(at, this.#stringEnd(at));
    return raw.includes('\\') && JSON.parse(raw) === key;
  }

  #isFollowedByColon(at: number): boolean {
    return this.text.charCodeAt(this.past(this.#stringEnd(at))) === COLON;
  }

  #stringEnd(at: number): number {
    for (let end = this.text.indexOf('"', at + 1); ; end = this.text.indexOf('"', end + 1)) {
      let before = end - 1;
      while (this.text.charCodeAt(before) === BACKSLASH) before -= 1;
      if ((end - 1 - before) % 2 === 0) return end + 1;
    }
  }

  /** Skips in a container until its end or for RUN_CHARS. @returns the new place and its depth */
  #passed(at: number, depthThere: number): [number, number] {
    const { text } = this;
    const most = at + RUN_CHARS;
    let depth = depthThere;
    let to = at;
    do {
      const code = text.charCodeAt(to);
      if (code === QUOTE) to = this.#stringEnd(to);
      else {
        to += 1;
        if (code === ARRAY || code === OBJECT) depth += 1;
        else if (code === ARRAY_END || code === OBJECT_END) depth -= 1;
      }
    } while (depth > 0 && to < most);
    return [to, depth];
  }
}

function tooMuch(maxChars: number): GatewayError {
  const limit = `${maxChars} characters (plugins.metatools.config.maxSelectChars)`;
  const fix = 'select fewer values, each once, a part such as [0:100], or leave select out and read by pages';
  return new GatewayError('TOOL_ARGUMENTS', `select reads and writes more than ${limit}; ${fix}`);
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}

function isBoundary(code: number): boolean {
  return code === COMMA || code === ARRAY_END || code === OBJECT_END || isSpace(code);
}
