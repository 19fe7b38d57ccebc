import { quote } from './quote.ts';

/** Offset in UTF-16 units into the source; turned into line and byte column only for messages. */
type Pos = number;

export interface TextNode {
  readonly type: 'text';
  readonly pos: Pos;
  readonly text: string;
}
export interface BoolNode {
  readonly type: 'bool';
  readonly pos: Pos;
  readonly value: boolean;
}
export interface DotNode {
  readonly type: 'dot';
  readonly pos: Pos;
}
export interface NilNode {
  readonly type: 'nil';
  readonly pos: Pos;
}
export interface StringNode {
  readonly type: 'string';
  readonly pos: Pos;
  readonly quoted: string;
  readonly text: string;
}
/** A constant under every type that can hold it, as Go's ideal constants. */
export interface NumberNode {
  readonly type: 'number';
  readonly pos: Pos;
  readonly text: string;
  readonly int: bigint | undefined;
  readonly uint: bigint | undefined;
  readonly float: number | undefined;
  readonly complex: readonly [re: number, im: number] | undefined;
}
export interface IdentifierNode {
  readonly type: 'identifier';
  readonly pos: Pos;
  readonly name: string;
}
export interface FieldNode {
  readonly type: 'field';
  readonly pos: Pos;
  readonly names: readonly string[];
}
/** names[0] is the variable with its dollar sign, the others are fields. */
export interface VariableNode {
  readonly type: 'variable';
  readonly pos: Pos;
  readonly names: readonly string[];
}
export interface ChainNode {
  readonly type: 'chain';
  readonly pos: Pos;
  readonly node: OperandNode;
  readonly names: readonly string[];
}
export interface CommandNode {
  readonly type: 'command';
  readonly pos: Pos;
  readonly args: readonly OperandNode[];
}
export interface PipeNode {
  readonly type: 'pipe';
  readonly pos: Pos;
  readonly isAssign: boolean;
  readonly variables: readonly VariableNode[];
  readonly commands: readonly CommandNode[];
}
export interface ActionNode {
  readonly type: 'action';
  readonly pos: Pos;
  readonly pipe: PipeNode;
}
export interface BranchNode {
  readonly type: 'if' | 'with' | 'range';
  readonly pos: Pos;
  readonly pipe: PipeNode;
  readonly list: ListNode;
  readonly elseList: ListNode | undefined;
}
export interface JumpNode {
  readonly type: 'break' | 'continue';
  readonly pos: Pos;
}
export interface TemplateNode {
  readonly type: 'template';
  readonly pos: Pos;
  readonly name: string;
  readonly pipe: PipeNode | undefined;
}
export interface ListNode {
  readonly type: 'list';
  readonly pos: Pos;
  readonly nodes: readonly StatementNode[];
}

export type OperandNode =
  | BoolNode
  | DotNode
  | NilNode
  | StringNode
  | NumberNode
  | IdentifierNode
  | FieldNode
  | VariableNode
  | ChainNode
  | PipeNode;
export type StatementNode = TextNode | ActionNode | BranchNode | JumpNode | TemplateNode;
export type Node = OperandNode | StatementNode | CommandNode | ListNode;

/** Prints a node in Go's canonical form: one space between operands, ` | ` between commands. */
export function printNode(node: Node): string {
  switch (node.type) {
    case 'list':
      return node.nodes.map(printNode).join('');
    case 'text':
      return node.text;
    case 'action':
      return `{{${printNode(node.pipe)}}}`;
    case 'break':
    case 'continue':
      return `{{${node.type}}}`;
    case 'if':
    case 'with':
    case 'range':
      return printBranch(node);
    case 'template':
      return `{{template ${quote(node.name)}${node.pipe ? ` ${printNode(node.pipe)}` : ''}}}`;
    default:
      return printOperand(node);
  }
}

function printBranch(node: BranchNode): string {
  const otherwise = node.elseList ? `{{else}}${printNode(node.elseList)}` : '';
  return `{{${node.type} ${printNode(node.pipe)}}}${printNode(node.list)}${otherwise}{{end}}`;
}

function printOperand(node: OperandNode | CommandNode): string {
  switch (node.type) {
    case 'bool':
      return String(node.value);
    case 'dot':
      return '.';
    case 'nil':
      return 'nil';
    case 'string':
      return node.quoted;
    case 'number':
      return node.text;
    case 'identifier':
      return node.name;
    case 'field':
      return node.names.map((name) => `.${name}`).join('');
    case 'variable':
      return node.names.join('.');
    case 'chain':
      return `${printArgument(node.node)}.${node.names.join('.')}`;
    case 'command':
      return node.args.map(printArgument).join(' ');
    case 'pipe':
      return printPipe(node);
  }
}

function printArgument(node: OperandNode): string {
  return node.type === 'pipe' ? `(${printPipe(node)})` : printOperand(node);
}

function printPipe(node: PipeNode): string {
  const commands = node.commands.map(printOperand).join(' | ');
  if (node.variables.length === 0) return commands;
  return `${node.variables.map(printOperand).join(', ')} ${node.isAssign ? '=' : ':='} ${commands}`;
}
