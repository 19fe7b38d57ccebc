import type { BranchNode } from './ast.ts';
import type { Eval } from './evals.ts';
import { formatValue } from './format.ts';
import { getKey, isMap, sortedKeys } from './maps.ts';
import { BREAK, CONTINUE, GO_ON } from './state.ts';
import type { Exec, Signal, State } from './state.ts';
import { Int, int, isFlexible, itemsOf, NamedInt, StringMap, TypedList } from './values.ts';

/** One round of a loop; index is undefined when the range is over an integer. */
type Round = (index: string | number | undefined, element: unknown, isInterface: boolean) => Signal;

/** The compiled parts of an if, with or range. */
export interface Branch {
  readonly pipe: Eval;
  readonly list: Exec;
  readonly otherwise: Exec;
}

export function compileRange(node: BranchNode, { pipe, list, otherwise }: Branch): Exec {
  const roundsOf = compileRounds(node, list);
  return (state, dot) => {
    state.node = node;
    state.env.charge(1);
    const mark = state.count;
    const value = pipe(state, dot);
    state.env.chargeReading(value);
    const outer = state.isDotInterface;
    const signal = loop(state, node, value, roundsOf(state));
    state.isDotInterface = outer;
    const result = signal === undefined ? leaveElse(otherwise(state, dot)) : GO_ON;
    state.count = mark;
    return result;
  };
}

// As in Go, a break in the else branch ends this loop; continue applies to the enclosing loop.
function leaveElse(signal: Signal): Signal {
  return signal === CONTINUE ? CONTINUE : GO_ON;
}

function compileRounds({ pipe }: BranchNode, list: Exec): (state: State) => Round {
  const { isAssign, variables } = pipe;
  const [first, second] = variables.map((variable) => variable.names[0] ?? '');
  return (state) => {
    const mark = state.count;
    return (index, element, isInterface) => {
      state.env.charge(1);
      state.checkOutput();
      if (isAssign) {
        if (first !== undefined)
          state.assign(first, second === undefined ? element : keyOf(index), isInterface);
        if (second !== undefined) state.assign(second, element, isInterface);
      } else if (first !== undefined) {
        setTop(state, mark - 1, element, isInterface);
        if (second !== undefined) setTop(state, mark - 2, keyOf(index), false);
      }
      state.isDotInterface = isInterface;
      const signal = list(state, element);
      state.count = mark;
      return signal;
    };
  };
}

function keyOf(index: string | number | undefined): unknown {
  return typeof index === 'number' ? int(index) : index;
}

function setTop(state: State, at: number, value: unknown, isInterface: boolean): void {
  state.values[at] = value;
  state.areInterfaces[at] = isInterface;
}

/** @returns undefined if there were no elements */
function loop(state: State, node: BranchNode, value: unknown, round: Round): Signal | undefined {
  if (value === undefined) return undefined;
  const items = itemsOf(value);
  if (items)
    return overItems(items, !(value instanceof TypedList) || value.elementType === 'interface {}', round);
  if (isMap(value)) {
    const keys = sortedKeys(value);
    const isInterface = !(value instanceof StringMap);
    for (const key of keys) if (round(key, getKey(value, key), isInterface) === BREAK) return BREAK;
    return keys.length === 0 ? undefined : GO_ON;
  }
  if (value instanceof Int || value instanceof NamedInt) return overInteger(state, node, value, round);
  if (isFlexible(value, state.env.lenient)) return overInteger(state, node, int(value), round);
  throw state.error(`range can't iterate over ${formatValue(value, state.env)}`);
}

function overItems(items: readonly unknown[], isInterface: boolean, round: Round): Signal | undefined {
  if (items.length === 0) return undefined;
  for (let i = 0; i < items.length; i++) {
    const item = items[i];
    if (round(i, item === undefined ? null : item, isInterface) === BREAK) return BREAK;
  }
  return GO_ON;
}

function overInteger(
  state: State,
  node: BranchNode,
  value: Int | NamedInt,
  round: Round,
): Signal | undefined {
  if (node.pipe.variables.length > 1) {
    throw state.error(`can't use ${formatValue(value, state.env)} to iterate over more than one variable`);
  }
  const alike = (at: bigint): unknown =>
    value instanceof Int ? new Int(value.typeName, at) : new NamedInt(value.type, at);
  for (let i = 0n; i < value.value; i++) {
    if (round(undefined, alike(i), false) === BREAK) return BREAK;
  }
  return value.value > 0n ? GO_ON : undefined;
}
