import type { ListNode, StatementNode } from './ast.ts';
import type { Lexer, Token } from './lex.ts';
import { quote } from './quote.ts';

const NAMED: ReadonlySet<string> = new Set([
  'block',
  'break',
  'continue',
  'dot',
  'define',
  'else',
  'end',
  'if',
  'nil',
  'range',
  'template',
  'with',
]);

/** A token in the form error messages show. */
export function describeToken(token: Token): string {
  if (token.type === 'eof') return 'EOF';
  if (token.type === 'error') return token.text;
  if (NAMED.has(token.type)) return `<${token.text}>`;
  if (Buffer.byteLength(token.text) <= 10) return quote(token.text);
  return `${quote(Array.from(token.text).slice(0, 10).join(''))}...`;
}

/** Reads tokens; up to three can be pushed back. `line` is that of the last token read from the lexer. */
export class TokenReader {
  line = 0;
  private readonly lexer: Lexer;
  private readonly pushed: Token[] = [];
  private current: Token | undefined;

  constructor(lexer: Lexer) {
    this.lexer = lexer;
  }

  next(): Token {
    const token = this.pushed.pop() ?? this.read();
    this.current = token;
    return token;
  }

  private read(): Token {
    const token = this.lexer.next();
    this.line = token.line;
    return token;
  }

  peek(): Token {
    const token = this.pushed.at(-1);
    if (token) return token;
    const read = this.read();
    this.pushed.push(read);
    this.current = read;
    return read;
  }

  nextNonSpace(): Token {
    for (;;) {
      const token = this.next();
      if (token.type !== 'space') return token;
    }
  }

  peekNonSpace(): Token {
    const token = this.nextNonSpace();
    this.pushed.push(token);
    return token;
  }

  backup(): void {
    if (this.current) this.pushed.push(this.current);
  }

  /** Pushes back the token read last and, before it, an earlier one. */
  backup2(earlier: Token): void {
    const current = this.pushed.pop() ?? this.current;
    if (current) this.pushed.push(current);
    this.pushed.push(earlier);
  }

  backup3(earlier: Token, space: Token): void {
    const current = this.pushed.pop() ?? this.current;
    if (current) this.pushed.push(current);
    this.pushed.push(space, earlier);
  }
}

/** Whether a template is only white space, so that another definition may replace it. */
export function isEmptyList(list: ListNode): boolean {
  return list.nodes.every(isEmptyStatement);
}

function isEmptyStatement(node: StatementNode): boolean {
  return node.type === 'text' && node.text.trim() === '';
}
