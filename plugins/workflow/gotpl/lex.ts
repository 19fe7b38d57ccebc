import { quote } from './quote.ts';
import { countLines, describeChar, isDigit, isSpace, TERMINATORS } from './lexChars.ts';
import { isAlphaNumeric, isPrintable } from './unicode.ts';
import { scanNumber } from './lexNumber.ts';
import { KEYWORDS } from './lexToken.ts';
import type { Token, TokenType } from './lexToken.ts';

export type { Token, TokenType };

/** Turns template source into tokens, one per call of next(). */
export class Lexer {
  private source: string;
  private pos = 0;
  private start = 0;
  private line = 1;
  private startLine = 1;
  private depth = 0;
  private inAction = false;

  constructor(source: string) {
    this.source = source;
  }

  next(): Token {
    return this.inAction ? this.action() : this.text();
  }

  private token(type: TokenType): Token {
    const text = this.source.slice(this.start, this.pos);
    const token = { type, pos: this.start, text, line: this.startLine };
    if (text.includes('\n')) this.line = this.startLine + countLines(text);
    this.start = this.pos;
    this.startLine = this.line;
    return token;
  }

  private ignore(): void {
    this.token('space');
  }

  private fail(message: string): Token {
    const token: Token = { type: 'error', pos: this.start, text: message, line: this.startLine };
    this.source = '';
    this.start = this.pos = 0;
    return token;
  }

  private peek(): string {
    const code = this.source.codePointAt(this.pos);
    return code === undefined ? '' : String.fromCodePoint(code);
  }

  private text(): Token {
    for (;;) {
      const open = this.source.indexOf('{{', this.pos);
      if (open < 0) {
        this.pos = this.source.length;
        return this.pos > this.start ? this.token('text') : this.endOfInput();
      }
      const token = (open > this.pos ? this.textBefore(open) : undefined) ?? this.leftDelim();
      if (token) return token;
    }
  }

  private endOfInput(): Token {
    return { ...this.token('eof'), text: 'EOF' };
  }

  private textBefore(open: number): Token | undefined {
    this.pos = open;
    if (this.hasLeftTrim(open + 2))
      while (this.pos > this.start && isSpace(this.source[this.pos - 1])) this.pos--;
    const token = this.token('text');
    this.pos = open;
    this.ignore();
    return token.text === '' ? undefined : token;
  }

  private hasLeftTrim(at: number): boolean {
    return this.source[at] === '-' && isSpace(this.source[at + 1]);
  }

  private rightDelimLength(at: number): number {
    if (isSpace(this.source[at]) && this.source.startsWith('-}}', at + 1)) return 4;
    return this.source.startsWith('}}', at) ? 2 : 0;
  }

  // A comment produces no token.
  private leftDelim(): Token | undefined {
    this.pos += 2;
    const marker = this.hasLeftTrim(this.pos) ? 2 : 0;
    if (this.source.startsWith('/*', this.pos + marker)) {
      this.pos += marker;
      this.ignore();
      return this.comment();
    }
    const token = this.token('leftDelim');
    this.inAction = true;
    this.pos += marker;
    this.ignore();
    this.depth = 0;
    return token;
  }

  private comment(): Token | undefined {
    const end = this.source.indexOf('*/', this.pos + 2);
    if (end < 0) return this.fail('unclosed comment');
    this.pos = end + 2;
    const delim = this.rightDelimLength(this.pos);
    if (delim === 0) return this.fail('comment ends before closing delimiter');
    this.pos += delim;
    if (delim === 4) this.skipSpaces();
    this.ignore();
    return undefined;
  }

  private rightDelim(length: number): Token {
    if (length === 4) {
      this.pos += 2;
      this.ignore();
    }
    this.pos += 2;
    const token = this.token('rightDelim');
    if (length === 4) this.skipSpaces();
    this.ignore();
    this.inAction = false;
    return token;
  }

  private skipSpaces(): void {
    while (isSpace(this.source[this.pos])) this.pos++;
  }

  private action(): Token {
    const delim = this.rightDelimLength(this.pos);
    if (delim > 0) return this.depth === 0 ? this.rightDelim(delim) : this.fail('unclosed left paren');
    const char = this.peek();
    if (char === '') return this.fail('unclosed action');
    if (isSpace(char)) return this.spaces();
    if (char === '.' && !isDigit(this.source[this.pos + 1]) && this.pos + 1 < this.source.length)
      return this.field();
    if (char === '+' || char === '-' || char === '.' || isDigit(char)) return this.number();
    if (isAlphaNumeric(char)) return this.identifier();
    return this.sign(char);
  }

  private sign(char: string): Token {
    this.pos += char.length;
    switch (char) {
      case '=':
        return this.token('assign');
      case ':':
        return this.declaration();
      case '|':
        return this.token('pipe');
      case '"':
        return this.quoted('"', 'string', 'unterminated quoted string');
      case "'":
        return this.quoted("'", 'charConstant', 'unterminated character constant');
      case '`':
        return this.rawString();
      case '$':
        return this.variable();
      case '(':
        this.depth++;
        return this.token('leftParen');
      case ')':
        return this.depth-- === 0 ? this.fail('unexpected right paren') : this.token('rightParen');
      default:
        if (char <= '\x7f' && isPrintable(char)) return this.token('char');
        return this.fail(`unrecognized character in action: ${describeChar(char)}`);
    }
  }

  private declaration(): Token {
    if (this.source[this.pos] !== '=') return this.fail('expected :=');
    this.pos++;
    return this.token('declare');
  }

  private spaces(): Token {
    this.skipSpaces();
    // The last space may belong to a trimming right delimiter.
    if (this.rightDelimLength(this.pos - 1) === 4) {
      this.pos--;
      if (this.pos === this.start) return this.rightDelim(4);
    }
    return this.token('space');
  }

  private identifier(): Token {
    this.skipName();
    if (!this.atTerminator()) return this.badCharacter();
    const word = this.source.slice(this.start, this.pos);
    if (word === 'true' || word === 'false') return this.token('bool');
    return this.token(KEYWORDS.get(word) ?? 'identifier');
  }

  private field(): Token {
    this.pos++;
    if (this.atTerminator()) return this.token('dot');
    return this.nameOf('field');
  }

  private variable(): Token {
    if (this.atTerminator()) return this.token('variable');
    return this.nameOf('variable');
  }

  private nameOf(type: TokenType): Token {
    this.skipName();
    return this.atTerminator() ? this.token(type) : this.badCharacter();
  }

  private skipName(): void {
    for (let char = this.peek(); char !== '' && isAlphaNumeric(char); char = this.peek())
      this.pos += char.length;
  }

  private badCharacter(): Token {
    return this.fail(`bad character ${describeChar(this.peek())}`);
  }

  private atTerminator(): boolean {
    const char = this.source[this.pos];
    return char === undefined || TERMINATORS.includes(char) || this.source.startsWith('}}', this.pos);
  }

  private quoted(mark: string, type: TokenType, message: string): Token {
    for (; this.pos < this.source.length; this.pos++) {
      const char = this.source[this.pos];
      if (char === '\n') break;
      if (char === mark) {
        this.pos++;
        return this.token(type);
      }
      if (char === '\\') {
        this.pos++;
        if (this.source[this.pos] === '\n') break;
      }
    }
    return this.fail(message);
  }

  private rawString(): Token {
    const end = this.source.indexOf('`', this.pos);
    if (end < 0) return this.fail('unterminated raw quoted string');
    this.pos = end + 1;
    return this.token('rawString');
  }

  private number(): Token {
    let scan = scanNumber(this.source, this.pos);
    this.pos = scan.end;
    if (scan.isValid && (this.source[this.pos] === '+' || this.source[this.pos] === '-')) {
      scan = scanNumber(this.source, this.pos);
      this.pos = scan.end;
      if (scan.isValid && this.source[this.pos - 1] === 'i') return this.token('complex');
      scan = { isValid: false, end: this.pos };
    }
    if (scan.isValid) return this.token('number');
    return this.fail(`bad number syntax: ${quote(this.source.slice(this.start, this.pos))}`);
  }
}
