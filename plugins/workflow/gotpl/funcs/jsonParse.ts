import { isEscape } from '../bytes.ts';
import type { Env } from '../env.ts';
import { quote } from '../quote.ts';
import { integer, newDict } from '../values.ts';

interface Parsed {
  readonly value: unknown;
  /** Go's error text; undefined if the text is valid. */
  readonly error: string | undefined;
}

const MAX_DEPTH = 10_000;
const END = 'unexpected end of JSON input';

class SyntaxProblem extends Error {}

/** Go's json.Unmarshal into any, with its messages. */
export class JsonParser {
  private readonly text: string;
  private readonly env: Env;
  private at = 0;
  private numberError: string | undefined;

  constructor(text: string, env: Env) {
    this.text = text;
    this.env = env;
  }

  parse(): Parsed {
    try {
      const value = this.value(0, 'looking for beginning of value');
      this.skipSpace();
      if (this.at < this.text.length) this.fail('after top-level value');
      return { value, error: this.numberError };
    } catch (cause) {
      if (cause instanceof SyntaxProblem) return { value: null, error: cause.message };
      throw cause;
    }
  }

  // At the end of the text Go's scanner sees a space, which some states name in their error.
  private fail(where: string, endsInSpace = false): never {
    const code = this.text.codePointAt(this.at);
    if (code === undefined && !endsInSpace) throw new SyntaxProblem(END);
    throw new SyntaxProblem(`invalid character ${quoteChar(code ?? 0x20)} ${where}`);
  }

  private skipSpace(): void {
    while (' \t\r\n'.includes(this.text[this.at] ?? 'x')) this.at++;
  }

  private value(depth: number, where: string): unknown {
    this.env.charge(1);
    if (depth > MAX_DEPTH) throw new SyntaxProblem('exceeded max depth');
    this.env.checkDepth(depth);
    this.skipSpace();
    const char = this.text[this.at] ?? '';
    if (char === '{') return this.object(depth);
    if (char === '[') return this.array(depth);
    if (char === '"') return this.string();
    if (char === '-' || isDigit(char)) return this.number();
    if (char === 't') return this.literal('true', true);
    if (char === 'f') return this.literal('false', false);
    if (char === 'n') return this.literal('null', null);
    return this.fail(where);
  }

  private literal(word: string, value: boolean | null): boolean | null {
    for (let i = 0; i < word.length; i++, this.at++) {
      if (this.text[this.at] !== word[i])
        this.fail(`in literal ${word} (expecting '${word[i] ?? ''}')`, true);
    }
    return value;
  }

  private object(depth: number): unknown {
    const dict = newDict();
    this.at++;
    this.skipSpace();
    if (this.text[this.at] === '}') {
      this.at++;
      return dict;
    }
    for (;;) {
      this.skipSpace();
      if (this.text[this.at] !== '"') this.fail('looking for beginning of object key string');
      const key = this.string();
      this.skipSpace();
      if (this.text[this.at] !== ':') this.fail('after object key');
      this.at++;
      dict[key] = this.value(depth + 1, 'looking for beginning of value');
      this.skipSpace();
      if (this.text[this.at] === '}') break;
      if (this.text[this.at] !== ',') this.fail('after object key:value pair');
      this.at++;
    }
    this.at++;
    return dict;
  }

  private array(depth: number): unknown {
    const items: unknown[] = [];
    this.at++;
    this.skipSpace();
    if (this.text[this.at] === ']') {
      this.at++;
      return items;
    }
    for (;;) {
      items.push(this.value(depth + 1, 'looking for beginning of value'));
      this.skipSpace();
      if (this.text[this.at] === ']') break;
      if (this.text[this.at] !== ',') this.fail('after array element');
      this.at++;
    }
    this.at++;
    return items;
  }

  private number(): unknown {
    const start = this.at;
    if (this.text[this.at] === '-') this.at++;
    if (!isDigit(this.text[this.at])) this.fail('in numeric literal', true);
    if (this.text[this.at] === '0') this.at++;
    else this.digits();
    if (this.text[this.at] === '.') {
      this.at++;
      if (!isDigit(this.text[this.at])) this.fail('after decimal point in numeric literal', true);
      this.digits();
    }
    if (this.text[this.at] === 'e' || this.text[this.at] === 'E') {
      this.at++;
      if (this.text[this.at] === '+' || this.text[this.at] === '-') this.at++;
      if (!isDigit(this.text[this.at])) this.fail('in exponent of numeric literal', true);
      this.digits();
    }
    return this.finite(this.text.slice(start, this.at));
  }

  private finite(text: string): unknown {
    const value = Number(text);
    if (this.env.lenient && !Number.isSafeInteger(value) && /^-?\d{1,80}$/.test(text)) return integer(text);
    if (Number.isFinite(value)) return value;
    this.numberError ??= `json: cannot unmarshal number ${text} into Go value of type float64`;
    return null;
  }

  private digits(): void {
    while (isDigit(this.text[this.at])) this.at++;
  }

  private string(): string {
    let out = '';
    this.at++;
    for (;;) {
      const char = this.text[this.at];
      if (char === undefined) throw new SyntaxProblem(END);
      if (char === '"') break;
      if (char < ' ') this.fail('in string literal');
      if (char === '\\') {
        out += this.escape();
        continue;
      }
      out += isEscape(char) && !isPairEnd(this.text, this.at) ? '\ufffd' : char;
      this.at++;
    }
    this.at++;
    return out;
  }

  private escape(): string {
    this.at++;
    const letter = this.text[this.at] ?? '';
    const simple = ESCAPES.get(letter);
    if (simple !== undefined) {
      this.at++;
      return simple;
    }
    if (letter !== 'u') this.fail('in string escape code', true);
    const code = this.hexCode();
    if (code < 0xd800 || code > 0xdfff) return String.fromCharCode(code);
    return this.surrogate(code);
  }

  private hexCode(): number {
    const start = ++this.at;
    for (let i = 0; i < 4; i++, this.at++) {
      if (!/^[0-9a-fA-F]$/.test(this.text[this.at] ?? ''))
        this.fail('in \\u hexadecimal character escape', true);
    }
    return Number.parseInt(this.text.slice(start, this.at), 16);
  }

  // An unpaired surrogate becomes U+FFFD; the text after it is read again.
  private surrogate(high: number): string {
    if (high > 0xdbff || !this.text.startsWith('\\u', this.at)) return '\ufffd';
    const before = this.at;
    this.at++;
    const low = this.hexCode();
    if (low >= 0xdc00 && low <= 0xdfff) return String.fromCharCode(high, low);
    this.at = before;
    return '\ufffd';
  }
}

const ESCAPES = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

function isDigit(char: string | undefined): boolean {
  return char !== undefined && char >= '0' && char <= '9';
}

function isPairEnd(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  return before >= 0xd800 && before <= 0xdbff;
}

// Go's message shows the byte, not the character.
function quoteChar(code: number): string {
  if (code === 0x27) return `'\\''`;
  if (code === 0x22) return `'"'`;
  const byte = code < 0x80 ? code : (Buffer.from(String.fromCodePoint(code))[0] ?? 0);
  return `'${quote(String.fromCharCode(byte)).slice(1, -1)}'`;
}
