import type { OperandNode } from './ast.ts';
import { compileCall } from './call.ts';
import { compileConstant } from './constantEval.ts';
import type { Compiler, Eval, EvalCommand } from './evals.ts';
import { compileChain, compileField, compileVariable } from './fields.ts';
import { fitConstant, fitValue } from './fit.ts';
import { canBeNil, paramTypeName } from './signature.ts';
import type { ParamKind } from './signature.ts';
import { MISSING } from './state.ts';

/** Evaluates an argument for a parameter. @param kind undefined accepts a value of any type */
export function compileArgument(node: OperandNode, kind: ParamKind | undefined, compiler: Compiler): Eval {
  const evaluate = compileDynamic(node, compiler);
  if (evaluate) {
    return (state, dot) => {
      state.node = node;
      const value = evaluate(state, dot, MISSING);
      return kind === undefined ? value : fitValue(state, value, kind);
    };
  }
  if (node.type === 'nil') return compileNil(node, kind ?? 'any');
  return compileTyped(node, kind ?? 'any');
}

function compileDynamic(node: OperandNode, compiler: Compiler): EvalCommand | undefined {
  switch (node.type) {
    case 'dot':
      return (_state, dot) => dot;
    case 'field':
      return compileField(node, [], compiler);
    case 'variable':
      return compileVariable(node, [], compiler);
    case 'chain':
      return compileChain(node, [], compiler);
    case 'pipe':
      return compiler.pipe(node);
    case 'identifier':
      return compileCall({ name: node.name, identifier: node, node, args: [] }, compiler);
    default:
      return undefined;
  }
}

function compileNil(node: OperandNode, kind: ParamKind): Eval {
  const nil = kind === 'value' ? undefined : null;
  return (state) => {
    state.node = node;
    if (canBeNil(kind)) return nil;
    throw state.error(`cannot assign nil to ${paramTypeName(kind)}`);
  };
}

function compileTyped(node: OperandNode, kind: ParamKind): Eval {
  if (kind === 'any' || kind === 'value') {
    const constant = compileConstant(node);
    return (state, dot) => {
      state.node = node;
      return constant(state, dot);
    };
  }
  const fitted = fitConstant(node, kind);
  return (state) => {
    state.node = node;
    if (fitted.message !== undefined) throw state.error(fitted.message);
    return fitted.value;
  };
}
