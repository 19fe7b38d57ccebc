import type { ListNode, PipeNode } from './ast.ts';
import { printNode } from './ast.ts';
import { byteLength, toOutput } from './bytes.ts';
import { compileList } from './compile.ts';
import { makeCompiler } from './compiler.ts';
import type { EnvSettings } from './env.ts';
import type { Eval } from './evals.ts';
import { LimitError, TemplateError } from './errors.ts';
import { collectFunctions, collectReferences } from './inspect.ts';
import { copyData } from './maps.ts';
import { parseSource } from './parse.ts';
import { toPlain } from './plain.ts';
import { Program } from './program.ts';
import { MUTATING, selectFunctions } from './registry.ts';
import { settingsOf } from './options.ts';
import type { TemplateOptions } from './options.ts';
import { State } from './state.ts';
import type { Exec } from './state.ts';

const DEFAULT_NAME = 'template';

/** Parses a template once. @throws TemplateError of kind `parse` or `limit` */
export function parseTemplate(text: string, options: TemplateOptions = {}): Template {
  const settings = settingsOf(options);
  const name = options.name ?? DEFAULT_NAME;
  const functions = selectFunctions(options.allow ?? []);
  const source = toOutput(text);
  if (byteLength(source) > settings.limits.maxSourceBytes) {
    const reason = 'template too large';
    throw new TemplateError('parse', { name, line: 1 }, reason, `template: ${name}:1: ${reason}`);
  }
  const trees = parseSource(source, {
    name,
    maxNesting: settings.limits.maxNesting,
    hasFunction: (word) => functions.has(word),
  });
  return new Template(new Program({ name, source, trees, compiler: makeCompiler(functions) }), settings);
}

/** A parsed template; rendering it changes neither it nor the data. */
export class Template {
  /** Whether the template is exactly one output action, so that evaluate() returns a typed value. */
  readonly isSoleAction: boolean;
  /** Names of all functions used in it and in the templates it defines. */
  readonly functionNames: readonly string[];
  private readonly program: Program;
  private readonly settings: EnvSettings;
  private readonly mutates: boolean;
  private readonly solePipe: PipeNode | undefined;
  private readonly body: Exec;
  private soleEval: Eval | undefined;

  constructor(program: Program, settings: EnvSettings) {
    this.program = program;
    this.settings = settings;
    this.solePipe = solePipeOf(program.root);
    this.body = compileList(program.root, program.compiler);
    this.isSoleAction = this.solePipe !== undefined;
    this.functionNames = collectFunctions(program);
    this.mutates = this.functionNames.some((name) => MUTATING.has(name));
  }

  /** The text Go prints. @throws TemplateError */
  render(data: unknown): string {
    const { body } = this;
    return this.run(data, (state, dot) => {
      body(state, dot);
      return finish(state);
    });
  }

  /** The value of a sole action as plain JSON data; for any other template the text. @throws TemplateError */
  evaluate(data: unknown): unknown {
    const pipe = this.solePipe;
    if (!pipe) return this.render(data);
    this.soleEval ??= this.program.compiler.pipe(pipe);
    const evaluate = this.soleEval;
    return this.run(data, (state, dot) => toPlain(evaluate(state, dot), state.env));
  }

  /** The template in Go's canonical form, followed by the templates it defines as `define` actions. */
  print(): string {
    const others = this.program.templateNames().filter((name) => name !== this.program.name);
    const defined = others.map((name) => {
      const tree = this.program.tree(name);
      return `{{define ${JSON.stringify(name)}}}${tree ? printNode(tree) : ''}{{end}}`;
    });
    return printNode(this.program.root) + defined.join('');
  }

  /** Paths that start at the data, such as `['results', 'a', 'b']` for `.results.a.b` or `$.results.a.b`. */
  references(): readonly (readonly string[])[] {
    return collectReferences(this.program);
  }

  private run<T>(data: unknown, execute: (state: State, dot: unknown) => T): T {
    const state = new State(this.program, this.settings, undefined);
    try {
      const dot = this.mutates ? copyData(data) : data;
      state.values[0] = dot ?? undefined;
      return execute(state, dot ?? undefined);
    } catch (cause) {
      throw state.failure(cause);
    }
  }
}

function finish(state: State): string {
  const text = toOutput(state.out);
  const { maxOutputBytes } = state.env.limits;
  // One UTF-16 unit takes at most three bytes.
  if (text.length * 3 > maxOutputBytes && byteLength(text) > maxOutputBytes)
    throw new LimitError('output too large');
  return text;
}

function solePipeOf(root: ListNode): PipeNode | undefined {
  const [node] = root.nodes;
  if (root.nodes.length !== 1 || node?.type !== 'action' || node.pipe.variables.length > 0) return undefined;
  return node.pipe;
}
