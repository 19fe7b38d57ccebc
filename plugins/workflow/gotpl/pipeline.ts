import type { CommandNode, OperandNode, PipeNode } from './ast.ts';
import { compileCall } from './call.ts';
import { compileConstant, refuseArguments } from './constantEval.ts';
import type { Compiler, Eval, EvalCommand } from './evals.ts';
import { compileChain, compileField, compileVariable } from './fields.ts';
import { MISSING } from './state.ts';

/** Evaluates a pipeline; nil becomes undefined, because Go unwraps interface values here. */
export function compilePipe(pipe: PipeNode, compiler: Compiler): Eval {
  const run = compileCommands(pipe, compiler);
  if (pipe.variables.length === 0) return run;
  const names = pipe.variables.map((variable) => variable.names[0] ?? '');
  return (state, dot) => {
    const value = run(state, dot);
    for (const name of names) {
      if (pipe.isAssign) state.assign(name, value, false);
      else state.push(name, value, false);
    }
    return value;
  };
}

function compileCommands(pipe: PipeNode, compiler: Compiler): Eval {
  const commands = pipe.commands.map((command) => compileCommand(command, compiler));
  const [only] = commands;
  if (only && commands.length === 1) {
    return (state, dot) => {
      state.node = pipe;
      return only(state, dot, MISSING) ?? undefined;
    };
  }
  return (state, dot) => {
    state.node = pipe;
    let value: unknown = MISSING;
    for (const command of commands) value = command(state, dot, value) ?? undefined;
    return value;
  };
}

function compileCommand(command: CommandNode, compiler: Compiler): EvalCommand {
  const first = command.args[0];
  const args = command.args.slice(1);
  if (!first) return () => undefined;
  switch (first.type) {
    case 'field':
      return compileField(first, args, compiler);
    case 'chain':
      return compileChain(first, args, compiler);
    case 'variable':
      return compileVariable(first, args, compiler);
    case 'identifier':
      return compileCall({ name: first.name, identifier: first, node: command, args }, compiler);
    case 'pipe':
      return compileParenthesised(first, args, compiler);
    default:
      return compileConstantCommand(first, args);
  }
}

function compileParenthesised(pipe: PipeNode, args: readonly OperandNode[], compiler: Compiler): EvalCommand {
  const run = compiler.pipe(pipe);
  return (state, dot, final) => {
    refuseArguments(state, pipe, args.length, final);
    return run(state, dot);
  };
}

function compileConstantCommand(first: OperandNode, args: readonly OperandNode[]): EvalCommand {
  const evaluate = compileConstant(first);
  return (state, dot, final) => {
    state.node = first;
    refuseArguments(state, first, args.length, final);
    if (first.type === 'nil') throw state.error('nil is not a command');
    return evaluate(state, dot);
  };
}
