import type { NumberNode, OperandNode } from './ast.ts';
import { printNode } from './ast.ts';
import type { Eval } from './evals.ts';
import { MISSING } from './state.ts';
import type { State } from './state.ts';
import { Complex, Float, Int } from './values.ts';

/** @throws TemplateError if a value that is not a function has arguments */
export function refuseArguments(state: State, first: OperandNode, count: number, final: unknown): void {
  if (count === 0 && final === MISSING) return;
  throw state.error(`can't give argument to non-function ${printNode(first)}`);
}

/** Evaluates a constant or dot where no parameter type is given. */
export function compileConstant(node: OperandNode): Eval {
  switch (node.type) {
    case 'bool':
      return () => node.value;
    case 'string':
      return () => node.text;
    case 'number':
      return compileNumber(node);
    default:
      return (_state, dot) => dot;
  }
}

// Without a parameter type, the notation of a number decides its type.
function compileNumber(node: NumberNode): Eval {
  const value = idealConstant(node);
  if (value !== undefined) return () => value;
  return (state) => {
    throw state.error(`${node.text} overflows int`);
  };
}

function idealConstant(node: NumberNode): unknown {
  if (node.complex) return new Complex(...node.complex);
  if (node.float !== undefined && isWrittenAsFloat(node.text)) return new Float(node.float);
  return node.int === undefined ? undefined : new Int('int', node.int);
}

function isWrittenAsFloat(text: string): boolean {
  const isHexInteger = /^0[xX]./.test(text) && !/[pP]/.test(text);
  return !isHexInteger && !text.startsWith("'") && /[.eEpP]/.test(text);
}
