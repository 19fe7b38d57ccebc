import type { IdentifierNode, Node, OperandNode } from './ast.ts';
import { printNode } from './ast.ts';
import { callValue } from './builtins.ts';
import type { Compiler, Eval, EvalCommand } from './evals.ts';
import { fitValue } from './fit.ts';
import type { GoFunc, ParamKind } from './signature.ts';
import { MISSING } from './state.ts';
import type { State } from './state.ts';
import { isNil, isTrue, typeName } from './values.ts';

interface Call {
  readonly name: string;
  readonly identifier: IdentifierNode;
  /** The node at which an error of the function itself is reported. */
  readonly node: Node;
  readonly args: readonly OperandNode[];
}

export function compileCall(call: Call, compiler: Compiler): EvalCommand {
  const { name, identifier, node, args } = call;
  const fn = compiler.functions.get(name);
  if (!fn) {
    return (state) => {
      state.node = identifier;
      throw state.error(`"${name}" is not a defined function`);
    };
  }
  const evals = args.map((arg, i) => compiler.argument(arg, paramAt(fn, i)));
  if (name === 'and' || name === 'or') return compileLogic(call, fn, evals);
  const target = name === 'call' ? calleeFunction(fn, args[0]) : fn;
  const problems = arityProblems(name, fn, args.length);
  return (state, dot, final) => {
    state.node = identifier;
    state.env.charge(1);
    const problem = final === MISSING ? problems.written : problems.piped;
    if (problem !== undefined) throw state.error(problem);
    const values: unknown[] = [];
    for (const evaluate of evals) values.push(evaluate(state, dot));
    if (final !== MISSING) values.push(fitValue(state, final, paramAt(fn, args.length)));
    state.env.chargeArguments(values);
    try {
      return target.run(state.env, values);
    } catch (cause) {
      throw state.callFailure(cause, name, node);
    }
  };
}

// The builtin `call` names the callee by its source text or, if it is piped in, by its value.
function calleeFunction(fn: GoFunc, callee: OperandNode | undefined): GoFunc {
  const written = callee ? printNode(callee) : undefined;
  return { ...fn, run: (_env, args) => callValue(written ?? calleeName(args[0]), args) };
}

function calleeName(value: unknown): string {
  if (typeof value === 'string') return value;
  return isNil(value) ? '<invalid Value>' : `<${typeName(value)} Value>`;
}

/** The error about the number of arguments, with a piped value and without; undefined if the number fits. */
interface ArityProblems {
  readonly written: string | undefined;
  readonly piped: string | undefined;
}

function arityProblems(name: string, fn: GoFunc, written: number): ArityProblems {
  const want = fn.params.length;
  const problem = (count: number): string | undefined => {
    if (fn.rest === undefined) return count === want ? undefined : `want ${want} got ${count}`;
    return count >= want ? undefined : `want at least ${want} got ${written}`;
  };
  const message = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : `wrong number of args for ${name}: ${text}`;
  return { written: message(problem(written)), piped: message(problem(written + 1)) };
}

function paramAt(func: GoFunc, index: number): ParamKind {
  return func.params[index] ?? func.rest ?? 'any';
}

// `and` and `or` evaluate only as many arguments as they need.
function compileLogic({ name, identifier, args }: Call, func: GoFunc, evals: readonly Eval[]): EvalCommand {
  const stopsAt = name === 'or';
  const problem = arityProblems(name, func, args.length).written;
  return (state, dot, final) => {
    state.node = identifier;
    state.env.charge(1);
    if (final === MISSING && problem !== undefined) throw state.error(problem);
    let value: unknown;
    for (const evaluate of evals) {
      value = evaluate(state, dot);
      state.env.chargeReading(value);
      if (isTrue(value) === stopsAt) return value;
    }
    return final === MISSING ? value : final;
  };
}

interface MethodCall {
  readonly name: string;
  readonly func: GoFunc;
  readonly node: Node;
  readonly args: readonly OperandNode[];
  readonly compiler: Compiler;
  readonly dot: unknown;
  readonly final: unknown;
}

/** Calls a method of a time, duration or version; there are few of them, so nothing is compiled ahead. */
export function callMethod(state: State, call: MethodCall): unknown {
  const { name, func, args, compiler, dot, final } = call;
  const problems = arityProblems(name, func, args.length);
  const problem = final === MISSING ? problems.written : problems.piped;
  if (problem !== undefined) throw state.error(problem);
  if (func.refusal !== undefined) throw state.error(func.refusal);
  const values = args.map((arg, i) => compiler.argument(arg, paramAt(func, i))(state, dot));
  if (final !== MISSING) values.push(fitValue(state, final, paramAt(func, args.length)));
  state.env.chargeArguments(values);
  try {
    return func.run(state.env, values);
  } catch (cause) {
    throw state.callFailure(cause, name, call.node);
  }
}
