import type { BranchNode, JumpNode, ListNode, StatementNode, TemplateNode } from './ast.ts';
import { Lexer } from './lex.ts';
import type { Token } from './lex.ts';
import { PipelineParser } from './parsePipeline.ts';
import type { ParseSetup } from './parsePipeline.ts';
import { quote } from './quote.ts';
import { isEmptyList, TokenReader } from './tokens.ts';

interface End {
  readonly type: 'end' | 'else';
  readonly pos: number;
}

/** Parses a text into its templates by name; the main template is named `setup.name`. */
export function parseSource(source: string, setup: ParseSetup): Map<string, ListNode> {
  const trees = new Map<string, ListNode>();
  new Parser(new Lexer(source), trees, setup).main();
  return trees;
}

/** Parses one template of a text; a nested definition gets its own parser on the same tokens. */
class Parser extends PipelineParser {
  private readonly lexer: Lexer;
  private readonly trees: Map<string, ListNode>;
  private rangeDepth = 0;

  constructor(lexer: Lexer, trees: Map<string, ListNode>, setup: ParseSetup, nesting = 0) {
    super(new TokenReader(lexer), setup, nesting);
    this.lexer = lexer;
    this.trees = trees;
  }

  main(): void {
    const pos = this.tokens.peek().pos;
    const nodes: StatementNode[] = [];
    while (this.tokens.peek().type !== 'eof') {
      if (this.tokens.peek().type === 'leftDelim' && this.isDefinition()) continue;
      const node = this.textOrAction();
      if (isEnd(node)) this.fail(`unexpected {{${node.type}}}`);
      nodes.push(node);
    }
    this.add(this.setup.name, { type: 'list', pos, nodes });
  }

  private isDefinition(): boolean {
    const delim = this.tokens.next();
    if (this.tokens.nextNonSpace().type !== 'define') {
      this.tokens.backup2(delim);
      return false;
    }
    this.child().definition();
    return true;
  }

  private child(): Parser {
    return new Parser(this.lexer, this.trees, this.setup, this.nesting);
  }

  private definition(): void {
    const context = 'define clause';
    const token = this.tokens.nextNonSpace();
    if (token.type !== 'string' && token.type !== 'rawString') this.unexpected(token, context);
    const name = this.unquoted(token);
    this.expect('rightDelim', context);
    this.body(name, context);
  }

  private body(name: string, context: string): void {
    const [list, end] = this.itemList();
    if (end.type !== 'end') this.fail(`unexpected {{${end.type}}} in ${context}`);
    this.add(name, list);
  }

  private add(name: string, list: ListNode): void {
    const known = this.trees.get(name);
    if (known === undefined || isEmptyList(known)) this.trees.set(name, list);
    else if (!isEmptyList(list)) this.fail(`template: multiple definition of template ${quote(name)}`);
  }

  private itemList(): [ListNode, End] {
    const pos = this.tokens.peekNonSpace().pos;
    const nodes: StatementNode[] = [];
    while (this.tokens.peekNonSpace().type !== 'eof') {
      const node = this.textOrAction();
      if (isEnd(node)) return [{ type: 'list', pos, nodes }, node];
      nodes.push(node);
    }
    return this.fail('unexpected EOF');
  }

  private textOrAction(): StatementNode | End {
    const token = this.tokens.nextNonSpace();
    if (token.type === 'text') return { type: 'text', pos: token.pos, text: token.text };
    if (token.type !== 'leftDelim') return this.unexpected(token, 'input');
    this.actionLine = token.line;
    const node = this.action();
    this.actionLine = 0;
    return node;
  }

  private action(): StatementNode | End {
    const token = this.tokens.nextNonSpace();
    switch (token.type) {
      case 'block':
        return this.nested(() => this.block());
      case 'break':
      case 'continue':
        return this.jump(token, token.type);
      case 'else':
        return this.elseControl();
      case 'end':
        return { type: 'end', pos: this.expect('rightDelim', 'end').pos };
      case 'if':
      case 'with':
      case 'range':
        return this.branch(token.type);
      case 'template':
        return this.templateCall();
      default:
        this.tokens.backup();
        return { type: 'action', pos: this.tokens.peek().pos, pipe: this.pipeline('command', 'rightDelim') };
    }
  }

  private jump(token: Token, type: JumpNode['type']): JumpNode {
    const next = this.tokens.nextNonSpace();
    if (next.type !== 'rightDelim') this.unexpected(next, `{{${type}}}`);
    if (this.rangeDepth === 0) this.fail(`{{${type}}} outside {{range}}`);
    return { type, pos: token.pos };
  }

  private elseControl(): End {
    const next = this.tokens.peekNonSpace();
    if (next.type === 'if' || next.type === 'with') return { type: 'else', pos: next.pos };
    return { type: 'else', pos: this.expect('rightDelim', 'else').pos };
  }

  private branch(type: BranchNode['type']): BranchNode {
    return this.nested(() => {
      const scope = this.variables.length;
      const pipe = this.pipeline(type, 'rightDelim');
      if (type === 'range') this.rangeDepth++;
      const [list, end] = this.itemList();
      if (type === 'range') this.rangeDepth--;
      const elseList = end.type === 'else' ? this.elseBranch(type, end) : undefined;
      this.variables.length = scope;
      return { type, pos: pipe.pos, pipe, list, elseList };
    });
  }

  // `else if` and `else with` nest a branch that shares the outer `end`.
  private elseBranch(type: BranchNode['type'], end: End): ListNode {
    if (type !== 'range' && this.tokens.peek().type === type) {
      this.tokens.next();
      return { type: 'list', pos: end.pos, nodes: [this.branch(type)] };
    }
    const [list, last] = this.itemList();
    if (last.type !== 'end') this.fail(`expected end; found {{${last.type}}}`);
    return list;
  }

  private block(): TemplateNode {
    const context = 'block clause';
    const token = this.tokens.nextNonSpace();
    const name = this.templateName(token, context);
    const pipe = this.pipeline(context, 'rightDelim');
    this.child().body(name, context);
    return { type: 'template', pos: token.pos, name, pipe };
  }

  private templateCall(): TemplateNode {
    const context = 'template clause';
    const token = this.tokens.nextNonSpace();
    const name = this.templateName(token, context);
    if (this.tokens.nextNonSpace().type === 'rightDelim')
      return { type: 'template', pos: token.pos, name, pipe: undefined };
    this.tokens.backup();
    return { type: 'template', pos: token.pos, name, pipe: this.pipeline(context, 'rightDelim') };
  }

  private templateName(token: Token, context: string): string {
    if (token.type !== 'string' && token.type !== 'rawString') this.unexpected(token, context);
    return this.unquoted(token);
  }
}

function isEnd(node: StatementNode | End): node is End {
  return node.type === 'end' || node.type === 'else';
}
