import { join, relative } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../support/sources.ts';

/** The public entries, and where the build puts their declarations. */
export const ENTRIES: Readonly<Record<string, string>> = {
  pegboard: 'dist/kernel/index.d.ts',
  'pegboard/contracts': 'dist/plugins/contracts.d.ts',
  'pegboard/kit': 'dist/plugins/kit.d.ts',
  'pegboard/net': 'dist/plugins/kit/net/index.d.ts',
  'pegboard/testing': 'dist/test/contract/index.d.ts',
};

const OPTIONS: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  target: ts.ScriptTarget.ES2023,
  types: ['node', 'mocha'],
  allowImportingTsExtensions: true,
  noEmit: true,
  skipLibCheck: true,
};

const printer = ts.createPrinter({ removeComments: true });

/** The text of a declaration without comments and private members, on lines that do not depend on how it was written. */
function printed(node: ts.Declaration): string {
  const whole = ts.isVariableDeclaration(node) ? node.parent.parent : node;
  return printer
    .printNode(ts.EmitHint.Unspecified, whole, node.getSourceFile())
    .split('\n')
    .filter((line) => !/^\s*(?:private |#)/.test(line))
    .join('\n');
}

/** Declarations by the name under which an entry exports them, or under which these reach them. */
export interface PublicDeclarations {
  /** Exported name to text, for each entry. A name that an entry has from another one is `export from`. */
  readonly exported: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** What no entry exports, but the exported ones mention: name to text. */
  readonly reached: ReadonlyMap<string, string>;
}

/** Reads what the public entries declare, from the declaration files of the last build. */
export function publicDeclarations(): PublicDeclarations {
  const paths = Object.entries(ENTRIES).map(([entry, path]) => [entry, join(ROOT, path)] as const);
  const program = ts.createProgram(
    paths.map(([, path]) => path),
    OPTIONS,
  );
  const checker = program.getTypeChecker();
  const resolved = (symbol: ts.Symbol): ts.Symbol =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const ours = (symbol: ts.Symbol): readonly ts.Declaration[] =>
    (symbol.declarations ?? []).filter(
      (node) => !relative(join(ROOT, 'dist'), node.getSourceFile().fileName).startsWith('..'),
    );
  const textOf = (symbol: ts.Symbol): string => ours(symbol).map(printed).sort().join('\n');

  const exported = new Map<string, Map<string, string>>();
  const first = new Map<ts.Symbol, string>();
  for (const [entry, path] of paths) {
    const file = program.getSourceFile(path);
    const module = file && checker.getSymbolAtLocation(file);
    if (module === undefined) throw new Error(`${path} is missing; run npm run build`);
    const names = new Map<string, string>();
    for (const alias of checker.getExportsOfModule(module)) {
      const symbol = resolved(alias);
      const at = first.get(symbol);
      names.set(alias.name, at === undefined ? textOf(symbol) : `export from ${at}`);
      if (at === undefined) first.set(symbol, entry);
    }
    exported.set(entry, names);
  }

  const reached = new Map<string, string>();
  const seen = new Set(first.keys());
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) {
      const symbol = checker.getSymbolAtLocation(node);
      if (symbol !== undefined) add(resolved(symbol));
    }
    node.forEachChild(visit);
  };
  const add = (symbol: ts.Symbol): void => {
    const top = ours(symbol).filter(
      (node) =>
        ts.isSourceFile(node.parent) || ts.isVariableDeclaration(node) || ts.isModuleBlock(node.parent),
    );
    if (top.length === 0 || seen.has(symbol)) return;
    seen.add(symbol);
    const path = relative(join(ROOT, 'dist'), top[0]?.getSourceFile().fileName ?? '');
    reached.set(`${symbol.name} of ${path.replace(/\.d\.ts$/, '')}`, textOf(symbol));
    top.forEach(visit);
  };
  for (const symbol of first.keys()) ours(symbol).forEach(visit);
  return { exported, reached };
}
