import { byteLength } from './bytes.ts';
import type { ListNode } from './ast.ts';
import { compileList } from './compile.ts';
import type { Compiler } from './evals.ts';
import type { Exec, RunnableProgram } from './state.ts';

interface ProgramParts {
  readonly name: string;
  readonly source: string;
  readonly trees: ReadonlyMap<string, ListNode>;
  readonly compiler: Compiler;
}

/** A parsed text with its templates, each compiled when it first runs. */
export class Program implements RunnableProgram {
  readonly name: string;
  readonly root: ListNode;
  readonly compiler: Compiler;
  private readonly source: string;
  private readonly trees: ReadonlyMap<string, ListNode>;
  private readonly compiled = new Map<string, Exec>();

  constructor({ name, source, trees, compiler }: ProgramParts) {
    this.name = name;
    this.source = source;
    this.trees = trees;
    this.compiler = compiler;
    this.root = trees.get(name) ?? { type: 'list', pos: 0, nodes: [] };
  }

  /** The body of a template, or undefined if no template has that name. */
  body(name: string): Exec | undefined {
    const known = this.compiled.get(name);
    if (known) return known;
    const tree = this.trees.get(name);
    if (!tree) return undefined;
    const exec = compileList(tree, this.compiler);
    this.compiled.set(name, exec);
    return exec;
  }

  tree(name: string): ListNode | undefined {
    return this.trees.get(name);
  }

  templateNames(): string[] {
    return [...this.trees.keys()];
  }

  /** Line from 1 and byte column from 0, as Go counts them. */
  locate(pos: number): { line: number; column: number } {
    const before = this.source.slice(0, pos);
    const lineStart = before.lastIndexOf('\n') + 1;
    return { line: before.split('\n').length, column: byteLength(before.slice(lineStart)) };
  }
}
