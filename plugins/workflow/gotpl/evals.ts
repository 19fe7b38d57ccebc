import type { OperandNode, PipeNode } from './ast.ts';
import type { GoFunc, ParamKind } from './signature.ts';
import type { State } from './state.ts';

/** Evaluates an operand or pipeline with a dot. */
export type Eval = (state: State, dot: unknown) => unknown;

/** Evaluates a command; `final` is the value of the command piped into it, or MISSING. */
export type EvalCommand = (state: State, dot: unknown, final: unknown) => unknown;

/** Lets the compiler's parts call each other: operands nest in pipelines, and pipelines in operands. */
export interface Compiler {
  readonly functions: ReadonlyMap<string, GoFunc>;
  pipe(node: PipeNode): Eval;
  /** @param kind undefined accepts a value of any type */
  argument(node: OperandNode, kind: ParamKind | undefined): Eval;
}
