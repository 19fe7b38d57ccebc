import type { CommandNode, OperandNode, PipeNode, VariableNode } from './ast.ts';
import { printNode } from './ast.ts';
import { parseConstant } from './constants.ts';
import { TemplateError } from './errors.ts';
import type { Token, TokenType } from './lex.ts';
import { quote, unquote } from './quote.ts';
import { describeToken } from './tokens.ts';
import type { TokenReader } from './tokens.ts';

export interface ParseSetup {
  readonly name: string;
  readonly hasFunction: (name: string) => boolean;
  readonly maxNesting: number;
}

const OPERAND_STARTS: ReadonlySet<TokenType> = new Set([
  'bool',
  'charConstant',
  'complex',
  'dot',
  'field',
  'identifier',
  'number',
  'nil',
  'rawString',
  'string',
  'variable',
  'leftParen',
]);
const CONSTANTS: ReadonlySet<string> = new Set(['bool', 'dot', 'nil', 'number', 'string']);

/** Parses the inside of an action: pipelines, commands and operands. */
export class PipelineParser {
  protected readonly tokens: TokenReader;
  protected readonly setup: ParseSetup;
  protected readonly variables = ['$'];
  protected actionLine = 0;
  protected nesting: number;

  constructor(tokens: TokenReader, setup: ParseSetup, nesting: number) {
    this.tokens = tokens;
    this.setup = setup;
    this.nesting = nesting;
  }

  protected fail(message: string): never {
    const { name } = this.setup;
    const { line } = this.tokens;
    throw new TemplateError('parse', { name, line }, message, `template: ${name}:${line}: ${message}`);
  }

  protected expect(type: TokenType, context: string): Token {
    const token = this.tokens.nextNonSpace();
    return token.type === type ? token : this.unexpected(token, context);
  }

  protected unexpected(token: Token, context: string): never {
    if (token.type !== 'error') this.fail(`unexpected ${describeToken(token)} in ${context}`);
    if (this.actionLine === 0 || this.actionLine === token.line) this.fail(token.text);
    const noun = token.text.endsWith(' action') ? '' : ' in action';
    this.fail(`${token.text}${noun} started at ${this.setup.name}:${this.actionLine}`);
  }

  protected nested<T>(parse: () => T): T {
    if (++this.nesting > this.setup.maxNesting) this.fail('nesting too deep');
    const result = parse();
    this.nesting--;
    return result;
  }

  protected unquoted(token: Token): string {
    return unquote(token.text) ?? this.fail('invalid syntax');
  }
  protected pipeline(context: string, end: TokenType): PipeNode {
    const { pos } = this.tokens.peekNonSpace();
    const { variables, isAssign } = this.declarations(context);
    const commands: CommandNode[] = [];
    for (;;) {
      const token = this.tokens.nextNonSpace();
      if (token.type === end) break;
      if (!OPERAND_STARTS.has(token.type)) this.unexpected(token, context);
      this.tokens.backup();
      commands.push(this.command());
    }
    this.checkCommands(commands, context);
    return { type: 'pipe', pos, isAssign, variables, commands };
  }

  private checkCommands(commands: readonly CommandNode[], context: string): void {
    if (commands.length === 0) this.fail(`missing value for ${context}`);
    commands.slice(1).forEach((command, i) => {
      const first = command.args[0];
      if (first && CONSTANTS.has(first.type)) this.fail(`non executable command in pipeline stage ${i + 2}`);
    });
  }

  private declarations(context: string): Pick<PipeNode, 'variables' | 'isAssign'> {
    const variables: VariableNode[] = [];
    while (this.tokens.peekNonSpace().type === 'variable') {
      const token = this.tokens.next();
      const after = this.tokens.peek();
      const next = this.tokens.peekNonSpace();
      const isComma = next.type === 'char' && next.text === ',';
      if (next.type !== 'assign' && next.type !== 'declare' && !isComma) {
        if (after.type === 'space') this.tokens.backup3(token, after);
        else this.tokens.backup2(token);
        break;
      }
      this.tokens.nextNonSpace();
      variables.push({ type: 'variable', pos: token.pos, names: [token.text] });
      this.variables.push(token.text);
      if (!isComma) return { variables, isAssign: next.type === 'assign' };
      this.checkSecondVariable(context, variables.length);
    }
    return { variables, isAssign: false };
  }

  private checkSecondVariable(context: string, count: number): void {
    if (context !== 'range' || count >= 2) this.fail(`too many declarations in ${context}`);
    const { type } = this.tokens.peekNonSpace();
    if (type !== 'variable' && type !== 'rightDelim' && type !== 'rightParen') {
      this.fail('range can only initialize variables');
    }
  }

  private command(): CommandNode {
    const { pos } = this.tokens.peekNonSpace();
    const args: OperandNode[] = [];
    for (;;) {
      this.tokens.peekNonSpace();
      const operand = this.operand();
      if (operand) args.push(operand);
      const token = this.tokens.next();
      if (token.type === 'space') continue;
      if (token.type === 'rightDelim' || token.type === 'rightParen') this.tokens.backup();
      else if (token.type !== 'pipe') this.unexpected(token, 'operand');
      break;
    }
    if (args.length === 0) this.fail('empty command');
    return { type: 'command', pos, args };
  }

  private operand(): OperandNode | undefined {
    const node = this.term();
    if (!node || this.tokens.peek().type !== 'field') return node;
    const { pos } = this.tokens.peek();
    const names: string[] = [];
    while (this.tokens.peek().type === 'field') names.push(this.tokens.next().text.slice(1));
    if (node.type === 'field' || node.type === 'variable')
      return { ...node, pos, names: [...node.names, ...names] };
    if (CONSTANTS.has(node.type)) this.fail(`unexpected . after term ${quote(printNode(node))}`);
    return { type: 'chain', pos, node, names };
  }

  private term(): OperandNode | undefined {
    const token = this.tokens.nextNonSpace();
    const { pos, text } = token;
    switch (token.type) {
      case 'identifier':
        if (!this.setup.hasFunction(text)) this.fail(`function ${quote(text)} not defined`);
        return { type: 'identifier', pos, name: text };
      case 'dot':
        return { type: 'dot', pos };
      case 'nil':
        return { type: 'nil', pos };
      case 'variable':
        if (!this.variables.includes(text)) this.fail(`undefined variable ${quote(text)}`);
        return { type: 'variable', pos, names: [text] };
      case 'field':
        return { type: 'field', pos, names: [text.slice(1)] };
      case 'bool':
        return { type: 'bool', pos, value: text === 'true' };
      case 'leftParen':
        return this.nested(() => this.pipeline('parenthesized pipeline', 'rightParen'));
      case 'string':
      case 'rawString':
        return { type: 'string', pos, quoted: text, text: this.unquoted(token) };
      case 'charConstant':
      case 'complex':
      case 'number':
        return this.constant(token.type, token);
      default:
        this.tokens.backup();
        return undefined;
    }
  }

  private constant(type: 'charConstant' | 'complex' | 'number', token: Token): OperandNode {
    const number = parseConstant(type, token.text, token.pos);
    return typeof number === 'string' ? this.fail(number) : number;
  }
}
