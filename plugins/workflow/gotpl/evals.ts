import type { OperandNode, PipeNode } from './ast.ts';
import type { GoFunc, ParamKind } from './signature.ts';
import type { State } from './state.ts';

/** Evaluates an operand or pipeline with a dot. */
export type Eval = (state: State, dot: unknown) => unknown;

/** Evaluates a command; `final` is what the command before it gave, or MISSING. */
export type EvalCommand = (state: State, dot: unknown, final: unknown) => unknown;

/** What the parts of the compiler need of one another, for operands nest in pipelines and these in operands. */
export interface Compiler {
  readonly functions: ReadonlyMap<string, GoFunc>;
  pipe(node: PipeNode): Eval;
  /** @param kind undefined asks for no type at all */
  argument(node: OperandNode, kind: ParamKind | undefined): Eval;
}
