import { compileArgument } from './arguments.ts';
import type { Compiler } from './evals.ts';
import { compilePipe } from './pipeline.ts';
import type { GoFunc } from './signature.ts';

export function makeCompiler(functions: ReadonlyMap<string, GoFunc>): Compiler {
  const compiler: Compiler = {
    functions,
    pipe: (node) => compilePipe(node, compiler),
    argument: (node, kind) => compileArgument(node, kind, compiler),
  };
  return compiler;
}
