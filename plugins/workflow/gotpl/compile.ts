import type { ActionNode, BranchNode, ListNode, StatementNode, TemplateNode, TextNode } from './ast.ts';
import { formatValue } from './format.ts';
import { walkDicts } from './fields.ts';
import type { Compiler } from './evals.ts';
import { compileRange } from './range.ts';
import type { Branch } from './range.ts';
import { quote } from './quote.ts';
import { BREAK, CONTINUE, GO_ON } from './state.ts';
import type { Exec, Signal, State } from './state.ts';
import { isTrue } from './values.ts';

/** Turns a list of statements into a closure; errors are thrown when it runs, as in Go. */
export function compileList(list: ListNode, compiler: Compiler): Exec {
  // Text nodes stay strings: appending them here saves a call. Loops and template calls check the length.
  const statements = list.nodes.map((node) =>
    node.type === 'text' ? node.text : compileStatement(node, compiler),
  );
  return (state, dot) => {
    state.node = list;
    for (const statement of statements) {
      if (typeof statement === 'string') {
        state.out += statement;
        continue;
      }
      const signal = statement(state, dot);
      if (signal !== GO_ON) return signal;
    }
    return GO_ON;
  };
}

function compileStatement(node: Exclude<StatementNode, TextNode>, compiler: Compiler): Exec {
  switch (node.type) {
    case 'action':
      return compileAction(node, compiler);
    case 'if':
      return compileIf(node, compiler);
    case 'with':
      return compileWith(node, compiler);
    case 'range':
      return compileRange(node, compileBranch(node, compiler));
    case 'template':
      return compileTemplate(node, compiler);
    case 'break':
      return () => BREAK;
    case 'continue':
      return () => CONTINUE;
  }
}

function compileAction(node: ActionNode, compiler: Compiler): Exec {
  const pipe = compiler.pipe(node.pipe);
  const prints = node.pipe.variables.length === 0;
  const names = soleField(node);
  return (state, dot) => {
    state.env.charge(1);
    // Fast path for the most common output: a string that is dot or at the end of a chain of dicts.
    const text = names && walkDicts(dot, names);
    if (typeof text === 'string') {
      state.write(text);
      return GO_ON;
    }
    state.node = node;
    const value = pipe(state, dot);
    if (!prints) return GO_ON;
    state.node = node;
    if (typeof value === 'string') state.write(value);
    else state.write(value === undefined ? '<no value>' : formatValue(value, state.env));
    return GO_ON;
  };
}

function soleField({ pipe }: ActionNode): readonly string[] | undefined {
  const [command] = pipe.commands;
  const [field] = command?.args ?? [];
  const isSole = pipe.commands.length === 1 && command?.args.length === 1 && pipe.variables.length === 0;
  if (!isSole) return undefined;
  if (field?.type === 'dot') return [];
  return field?.type === 'field' ? field.names : undefined;
}

function compileIf(node: BranchNode, compiler: Compiler): Exec {
  const { pipe, list, otherwise } = compileBranch(node, compiler);
  return (state, dot) => {
    state.node = node;
    state.env.charge(1);
    const mark = state.count;
    const value = pipe(state, dot);
    state.env.chargeReading(value);
    const signal = isTrue(value) ? list(state, dot) : otherwise(state, dot);
    state.count = mark;
    return signal;
  };
}

function compileWith(node: BranchNode, compiler: Compiler): Exec {
  const { pipe, list, otherwise } = compileBranch(node, compiler);
  return (state, dot) => {
    state.node = node;
    state.env.charge(1);
    const mark = state.count;
    const value = pipe(state, dot);
    state.env.chargeReading(value);
    const signal = isTrue(value) ? withDot(state, value, list) : otherwise(state, dot);
    state.count = mark;
    return signal;
  };
}

// Go never treats the value of a pipeline as an interface value.
function withDot(state: State, value: unknown, list: Exec): Signal {
  const outer = state.isDotInterface;
  state.isDotInterface = false;
  const signal = list(state, value);
  state.isDotInterface = outer;
  return signal;
}

function compileBranch(node: BranchNode, compiler: Compiler): Branch {
  return {
    pipe: compiler.pipe(node.pipe),
    list: compileList(node.list, compiler),
    otherwise: node.elseList ? compileList(node.elseList, compiler) : () => GO_ON,
  };
}

function compileTemplate(node: TemplateNode, compiler: Compiler): Exec {
  const pipe = node.pipe ? compiler.pipe(node.pipe) : () => undefined;
  return (state, dot) => {
    state.node = node;
    state.env.charge(1);
    const body = state.program.body(node.name);
    if (!body) throw state.error(`template ${quote(node.name)} not defined`);
    const { maxTemplateDepth } = state.env.limits;
    if (state.depth >= maxTemplateDepth)
      throw state.error(`exceeded maximum template depth (${maxTemplateDepth})`, 'limit');
    state.checkOutput();
    callTemplate(state, node.name, pipe(state, dot), body);
    return GO_ON;
  };
}

// A called template sees only its own `$`, not the caller's variables.
function callTemplate(state: State, name: string, dot: unknown, body: Exec): void {
  const { templateName, count, names, values, areInterfaces, isDotInterface } = state;
  state.depth++;
  state.templateName = name;
  state.count = 1;
  state.names = ['$'];
  state.values = [dot];
  state.areInterfaces = [false];
  state.isDotInterface = false;
  body(state, dot);
  state.depth--;
  Object.assign(state, { templateName, count, names, values, areInterfaces, isDotInterface });
}
