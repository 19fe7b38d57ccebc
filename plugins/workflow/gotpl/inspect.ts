import type {
  BranchNode,
  ListNode,
  Node,
  OperandNode,
  PipeNode,
  StatementNode,
  TemplateNode,
} from './ast.ts';
import type { Program } from './program.ts';

/** Every function name in a program, in order of appearance. */
export function collectFunctions(program: Program): string[] {
  const names = new Set<string>();
  for (const name of program.templateNames()) {
    const tree = program.tree(name);
    if (tree) visit(tree, (node) => node.type === 'identifier' && names.add(node.name));
  }
  return [...names];
}

function visit(node: Node, see: (node: Node) => unknown): void {
  see(node);
  for (const child of childrenOf(node)) visit(child, see);
}

function childrenOf(node: Node): readonly Node[] {
  switch (node.type) {
    case 'list':
      return node.nodes;
    case 'action':
      return [node.pipe];
    case 'if':
    case 'with':
    case 'range':
      return node.elseList ? [node.pipe, node.list, node.elseList] : [node.pipe, node.list];
    case 'template':
      return node.pipe ? [node.pipe] : [];
    case 'pipe':
      return node.commands;
    case 'command':
      return node.args;
    case 'chain':
      return [node.node];
    default:
      return [];
  }
}

type Path = readonly string[];

/** The paths that dot and the variables refer to, as far as they can be resolved without data. */
interface Scope {
  readonly dot: Path | undefined;
  readonly variables: Map<string, Path | undefined>;
}

/** Every path of fields that starts at the data, without repetitions. */
export function collectReferences(program: Program): string[][] {
  const collector = new Collector(program);
  collector.template(program.name, []);
  return [...collector.paths.values()];
}

class Collector {
  readonly paths = new Map<string, string[]>();
  private readonly program: Program;
  private readonly seen = new Set<string>();

  constructor(program: Program) {
    this.program = program;
  }

  template(name: string, dot: Path | undefined): void {
    const visitKey = JSON.stringify([name, dot]);
    const tree = this.program.tree(name);
    if (!tree || this.seen.has(visitKey)) return;
    this.seen.add(visitKey);
    this.list(tree, { dot, variables: new Map([['$', dot]]) });
  }

  private list(list: ListNode, scope: Scope): void {
    for (const node of list.nodes) this.statement(node, scope);
  }

  private statement(node: StatementNode, scope: Scope): void {
    if (node.type === 'action') this.pipe(node.pipe, scope);
    else if (node.type === 'template') this.call(node, scope);
    else if (node.type === 'if' || node.type === 'with' || node.type === 'range') this.branch(node, scope);
  }

  private call(node: TemplateNode, scope: Scope): void {
    this.template(node.name, node.pipe ? this.pipe(node.pipe, scope) : undefined);
  }

  private branch(node: BranchNode, outer: Scope): void {
    const scope = { dot: outer.dot, variables: new Map(outer.variables) };
    const path = this.pipe(node.pipe, scope);
    if (node.type === 'range')
      for (const { names } of node.pipe.variables) scope.variables.set(names[0] ?? '', undefined);
    const dot = node.type === 'if' ? scope.dot : node.type === 'with' ? path : undefined;
    this.list(node.list, { dot, variables: new Map(scope.variables) });
    if (node.elseList) this.list(node.elseList, { dot: outer.dot, variables: new Map(scope.variables) });
  }

  /** Collects the paths in a pipeline. @returns the pipeline's own path, if it is just a path */
  private pipe(pipe: PipeNode, scope: Scope): Path | undefined {
    const paths = pipe.commands.map((command) => command.args.map((arg) => this.operand(arg, scope)));
    const [first] = paths;
    const path = paths.length === 1 && first?.length === 1 ? first[0] : undefined;
    for (const { names } of pipe.variables)
      scope.variables.set(names[0] ?? '', pipe.isAssign ? undefined : path);
    return path;
  }

  private operand(node: OperandNode, scope: Scope): Path | undefined {
    switch (node.type) {
      case 'dot':
        return scope.dot;
      case 'field':
        return this.note(scope.dot, node.names);
      case 'variable':
        return this.note(scope.variables.get(node.names[0] ?? ''), node.names.slice(1));
      case 'pipe':
        return this.pipe(node, scope);
      case 'chain':
        return this.note(this.operand(node.node, scope), node.names);
      default:
        return undefined;
    }
  }

  private note(base: Path | undefined, names: Path): Path | undefined {
    if (!base) return undefined;
    const path = [...base, ...names];
    if (names.length > 0) this.paths.set(JSON.stringify(path), path);
    return path;
  }
}
