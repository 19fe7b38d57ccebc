import type { ChainNode, FieldNode, Node, OperandNode, VariableNode } from './ast.ts';
import { printNode } from './ast.ts';
import { callMethod } from './call.ts';
import { refuseArguments } from './constantEval.ts';
import type { Compiler, EvalCommand } from './evals.ts';
import { findMethod, isPrivateField } from './methods.ts';
import { quote } from './quote.ts';
import { MISSING } from './state.ts';
import type { State } from './state.ts';
import { Boxed, StringMap, typeName } from './values.ts';
import type { Dict } from './values.ts';

/** The value a chain of fields starts from, and the arguments for its last name. */
interface ChainCall {
  readonly dot: unknown;
  readonly receiver: unknown;
  readonly isInterface: boolean;
  readonly final: unknown;
}

type ReadChain = (state: State, call: ChainCall) => unknown;

export function compileField(node: FieldNode, args: readonly OperandNode[], compiler: Compiler): EvalCommand {
  const read = compileNames(node, node.names, args, compiler);
  const { names } = node;
  const hasArgs = args.length > 0;
  return (state, dot, final) => {
    state.node = node;
    const value = hasArgs || final !== MISSING ? undefined : walkDicts(dot, names);
    if (value !== undefined) return value;
    return read(state, { dot, receiver: dot, isInterface: state.isDotInterface, final });
  };
}

/** The value at the end of a chain of plain dicts; on undefined the caller takes the general path. */
export function walkDicts(start: unknown, names: readonly string[]): unknown {
  let value = start;
  for (let i = 0; i < names.length; i++) {
    const name = names[i] ?? '';
    if (!isPlainDict(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

export function compileVariable(
  node: VariableNode,
  args: readonly OperandNode[],
  compiler: Compiler,
): EvalCommand {
  const [name = '', ...names] = node.names;
  const read = compileNames(node, names, args, compiler);
  return (state, dot, final) => {
    state.node = node;
    const at = state.find(name);
    const receiver = state.values[at];
    if (names.length > 0)
      return read(state, { dot, receiver, isInterface: state.areInterfaces[at] === true, final });
    refuseArguments(state, node, args.length, final);
    return receiver;
  };
}

export function compileChain(node: ChainNode, args: readonly OperandNode[], compiler: Compiler): EvalCommand {
  const start = compiler.argument(node.node, undefined);
  const read = compileNames(node, node.names, args, compiler);
  return (state, dot, final) => {
    state.node = node;
    if (node.node.type === 'nil') throw state.error(`indirection through explicit nil in ${printNode(node)}`);
    const receiver = start(state, dot) ?? undefined;
    return read(state, { dot, receiver, isInterface: false, final });
  };
}

function compileNames(
  node: Node,
  names: readonly string[],
  args: readonly OperandNode[],
  compiler: Compiler,
): ReadChain {
  const last = names.length - 1;
  const method = { node, args, compiler };
  const none = { node, args: [], compiler };
  return (state, { dot, receiver, isInterface, final }) => {
    let value = receiver;
    let isFromMap = isInterface;
    for (let i = 0; i <= last; i++) {
      const owner: unknown = value;
      const name = names[i] ?? '';
      if (
        isPlainDict(owner) &&
        Object.hasOwn(owner, name) &&
        (i < last || (final === MISSING && args.length === 0))
      ) {
        value = owner[name] ?? null;
      } else {
        const call = i < last ? { ...none, dot, final: MISSING } : { ...method, dot, final };
        value = readField(state, name, { value: owner, isInterface: isFromMap }, call);
      }
      isFromMap = !(owner instanceof Boxed);
    }
    return value;
  };
}

function isPlainDict(value: unknown): value is Dict {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Boxed);
}

interface FieldCall {
  readonly node: Node;
  readonly args: readonly OperandNode[];
  readonly compiler: Compiler;
  readonly dot: unknown;
  readonly final: unknown;
}

interface Receiver {
  readonly value: unknown;
  readonly isInterface: boolean;
}

function readField(state: State, name: string, receiver: Receiver, call: FieldCall): unknown {
  const { value } = receiver;
  if (value === undefined) throw state.error(`nil data; no entry for key ${quote(name)}`);
  if (value === null) throw state.error(`nil pointer evaluating interface {}.${name}`);
  const method = findMethod(value, name);
  if (method) return callMethod(state, { ...call, name, func: method });
  if (isPlainDict(value) || value instanceof StringMap) {
    if (call.args.length > 0 || call.final !== MISSING) {
      throw state.error(`${name} is not a method but has arguments`);
    }
    const found = value instanceof StringMap ? value.entries.get(name) : undefined;
    if (found !== undefined) return found;
    throw state.error(`map has no entry for key ${quote(name)}`);
  }
  if (isPrivateField(value, name)) {
    throw state.error(`${name} is an unexported field of struct type ${typeName(value)}`);
  }
  const type = receiver.isInterface ? 'interface {}' : typeName(value);
  throw state.error(`can't evaluate field ${name} in type ${type}`);
}
