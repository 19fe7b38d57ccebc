import type { ListNode, Node } from './ast.ts';
import { printNode } from './ast.ts';
import { toOutput } from './bytes.ts';
import { Env } from './env.ts';
import type { EnvSettings } from './env.ts';
import { CallError, LimitError, TemplateError } from './errors.ts';
import type { TemplateErrorKind } from './errors.ts';
import { quote } from './quote.ts';

/** The next step: continue, leave the loop, or start its next round. */
export type Signal = 0 | 1 | 2;
export const GO_ON = 0;
export const BREAK = 1;
export const CONTINUE = 2;

/** Runs a statement with a value of dot. */
export type Exec = (state: State, dot: unknown) => Signal;

/** The part of a program that an execution uses. */
export interface RunnableProgram {
  readonly name: string;
  readonly root: ListNode;
  body(name: string): Exec | undefined;
  locate(pos: number): { readonly line: number; readonly column: number };
}

/** The value of `final` if nothing was piped in, as opposed to nil. */
export const MISSING = Symbol('missing');

/** One execution: output, variables, and the current node, which errors name. */
export class State {
  readonly env: Env;
  readonly program: RunnableProgram;
  out = '';
  node: Node;
  templateName: string;
  depth = 0;
  /** Whether dot is an interface value in Go; only error messages depend on it. */
  isDotInterface = false;
  /** Number of variables on the stack; entries above it are stale. */
  count = 1;
  names: string[] = ['$'];
  values: unknown[];
  areInterfaces: boolean[] = [false];
  private readonly maxOutput: number;

  constructor(program: RunnableProgram, settings: EnvSettings, data: unknown) {
    this.env = new Env(settings);
    this.program = program;
    this.node = program.root;
    this.templateName = program.name;
    this.values = [data];
    this.maxOutput = settings.limits.maxOutputBytes;
  }

  write(text: string): void {
    this.out += text;
    this.checkOutput();
  }

  checkOutput(): void {
    if (this.out.length > this.maxOutput) throw new LimitError('output too large');
  }

  push(name: string, value: unknown, isInterface: boolean): void {
    const at = this.count++;
    this.names[at] = name;
    this.values[at] = value;
    this.areInterfaces[at] = isInterface;
  }

  /** The index of a variable on the stack. */
  find(name: string): number {
    let at = this.count - 1;
    while (at >= 0 && this.names[at] !== name) at--;
    if (at < 0) throw this.error(`undefined variable: ${name}`);
    return at;
  }

  assign(name: string, value: unknown, isInterface: boolean): void {
    const at = this.find(name);
    this.values[at] = value;
    this.areInterfaces[at] = isInterface;
  }

  /** An execution error at the current node, in Go's words. */
  error(reason: string, kind: TemplateErrorKind = 'exec'): TemplateError {
    const { name } = this.program;
    const { line, column } = this.program.locate(this.node.pos);
    const node = printNode(this.node);
    const executing = quote(this.templateName);
    const message = `template: ${name}:${line}:${column}: executing ${executing} at <${node}>: ${reason}`;
    const place = { name: this.templateName, line, column, node };
    return new TemplateError(kind, place, toOutput(reason), toOutput(message));
  }

  /** Turns an exception of a function into the error of the call at `node`. */
  callFailure(cause: unknown, name: string, node: Node): TemplateError {
    if (cause instanceof TemplateError) return cause;
    if (cause instanceof LimitError) return this.error(cause.message, 'limit');
    this.node = node;
    if (cause instanceof CallError) return this.error(`error calling ${name}: ${cause.message}`, cause.kind);
    if (cause instanceof RangeError) return this.error(`error calling ${name}: result too large`, 'limit');
    const text = cause instanceof Error ? cause.message : String(cause);
    return this.error(`error calling ${name}: internal error: ${text}`);
  }

  /** Turns any other exception into a TemplateError. */
  failure(cause: unknown): TemplateError {
    if (cause instanceof TemplateError) return cause;
    if (cause instanceof CallError) return this.error(cause.message, cause.kind);
    if (cause instanceof RangeError) return this.error('evaluation nested too deeply', 'limit');
    return this.error(`internal error: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}
