import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import ts from 'typescript';
import type { JsonObject } from '../../kernel/contracts/json.ts';
import { readSchema } from '../../kernel/lib/readSchema.ts';
import { builtInNames } from '../../kernel/loader.ts';
import { ROOT, textOf } from '../support/sources.ts';

interface Schema extends JsonObject {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
  readonly default?: unknown;
}
/** A type in words: `number`, `"a" | "b"`, `[string]`, `{*: string}`, or its keys; one that may be absent ends in `?`. */
type Shape = string | { readonly [key: string]: Shape };

/** What a schema lets in once its defaults are filled in. */
function shapeOfSchema(schema: Schema, root: Schema): Shape {
  if (schema.$ref !== undefined) return shapeOfSchema(root.$defs![schema.$ref.split('/').at(-1)!]!, root);
  if (schema.anyOf !== undefined) return union(schema.anyOf.map((one) => shapeOfSchema(one, root)));
  const values = schema.enum ?? ('const' in schema ? [schema.const] : undefined);
  if (values !== undefined) return union(values.map((value) => JSON.stringify(value)));
  if (Array.isArray(schema.type))
    return union(schema.type.map((type: string) => shapeOfSchema({ ...schema, type }, root)));
  const { type, items = {}, properties, additionalProperties: others, required = [] } = schema;
  if (type === 'array') return `[${text(shapeOfSchema(items, root))}]`;
  if (type === 'integer') return 'number';
  if (type !== 'object') return typeof type === 'string' ? type : 'unknown';
  if (properties === undefined)
    return `{*: ${typeof others === 'object' ? text(shapeOfSchema(others, root)) : 'unknown'}}`;
  const keys = Object.entries(properties).map(([key, value]) => {
    const isThere = required.includes(key) || value.default !== undefined;
    return [isThere ? key : `${key}?`, shapeOfSchema(value, root)] as const;
  });
  return keyed(keys);
}

function shapeOfType(type: ts.Type, checker: ts.TypeChecker): Shape {
  if (type.flags & ts.TypeFlags.Boolean) return 'boolean';
  if (type.isUnion()) {
    const some = type.types.filter(({ flags }) => (flags & ts.TypeFlags.Undefined) === 0);
    return union(some.map((one) => shapeOfType(one, checker)));
  }
  if (type.isStringLiteral()) return JSON.stringify(type.value);
  if ((type.flags & ts.TypeFlags.Object) === 0) return checker.typeToString(type);
  if (checker.isArrayType(type)) {
    const [item] = checker.getTypeArguments(type as ts.TypeReference);
    return `[${text(shapeOfType(item!, checker))}]`;
  }
  const others = type.getStringIndexType();
  if (others !== undefined && type.getProperties().length === 0)
    return `{*: ${text(shapeOfType(others, checker))}}`;
  const keys = type.getProperties().map((key) => {
    const isOptional = (key.flags & ts.SymbolFlags.Optional) !== 0;
    return [
      isOptional ? `${key.name}?` : key.name,
      shapeOfType(checker.getTypeOfSymbol(key), checker),
    ] as const;
  });
  return keyed(keys);
}

function union(shapes: readonly Shape[]): Shape {
  if (shapes.length === 1) return shapes[0]!;
  const texts = new Set(shapes.map(text));
  if (texts.has('true') && texts.delete('false')) texts.add('boolean').delete('true');
  return [...texts].sort().join(' | ');
}
function text(shape: Shape): string {
  return typeof shape === 'string' ? shape : JSON.stringify(shape);
}
/** Keys in the order of their names, as the other side has them. */
function keyed(keys: readonly (readonly [string, Shape])[]): Shape {
  return Object.fromEntries([...keys].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Follows imports of types only: all that the types of configurations need, in a fifth of the time. */
function programOf(files: readonly string[]): ts.Program {
  const options = { strict: true, noEmit: true, types: [], allowImportingTsExtensions: true };
  const host = ts.createCompilerHost(options);
  host.resolveModuleNameLiterals = (literals, from) =>
    literals.map(({ text: path, parent }) => {
      const clause = ts.isImportDeclaration(parent) ? parent.importClause : undefined;
      if (clause?.phaseModifier !== ts.SyntaxKind.TypeKeyword || !path.startsWith('.'))
        return { resolvedModule: undefined };
      return { resolvedModule: { resolvedFileName: join(dirname(from), path), extension: '.ts' } };
    });
  return ts.createProgram(
    files.map((path) => join(ROOT, path)),
    options,
    host,
  );
}

interface Generated {
  readonly path: string;
  readonly text: string;
}
/** What `npm run tables` writes. */
async function generated(): Promise<readonly Generated[]> {
  const script = (await import(pathToFileURL(join(ROOT, '.ci/configTypes.mjs')).href)) as {
    readonly configTypes: () => Promise<readonly Generated[]>;
  };
  return script.configTypes();
}

describe('Types of configurations', () => {
  let program: ts.Program;
  let checker: ts.TypeChecker;
  let textByFile: ReadonlyMap<string, string>;
  const interfaceOf = (path: string, name: string): Readonly<Record<string, Shape>> => {
    const node = program
      .getSourceFile(join(ROOT, path))!
      .statements.find((one) => ts.isInterfaceDeclaration(one) && one.name.text === name);
    return shapeOfType(checker.getTypeAtLocation(node!), checker) as Record<string, Shape>;
  };

  before(async () => {
    textByFile = new Map((await generated()).map((file) => [file.path, file.text]));
    program = programOf(['plugins/upstream/definition.ts', 'kernel/contracts/settings.ts']);
    checker = program.getTypeChecker();
  });

  it('are what the schemas make them', () => {
    for (const [path, wanted] of textByFile) expect(textOf(path), `${path}: npm run tables`).to.equal(wanted);
  });

  it('are those of the plugins, which write none of their own', async () => {
    for (const name of await builtInNames()) {
      const index = textOf(`plugins/${name}/index.ts`);
      const [, type] = /export interface (\w+)/.exec(textByFile.get(`plugins/${name}/config.ts`) ?? '') ?? [];
      expect(/definePlugin<(\w+)>/.exec(index)?.[1], name).to.equal(type);
      if (type !== undefined)
        expect(index).to.match(new RegExp(`{[^}]*\\b${type}\\b[^}]*} from './config.ts'`));
    }
  });

  it('have those of an MCPServer definition, whose auth and pin other plugins read', () => {
    const schema = readSchema('kinds/mcpserver') as Schema;
    const { 'auth?': auth, 'pin?': pin, ...wanted } = shapeOfSchema(schema, schema) as Record<string, Shape>;
    expect(auth).to.be.an('object');
    expect(pin).to.be.a('string');
    expect(interfaceOf('plugins/upstream/definition.ts', 'ServerSpec')).to.deep.equal(wanted);
  });

  it('have those of config.yaml below aggregator that the kernel knows', () => {
    const { aggregator } = (readSchema('config') as Schema).properties!;
    const wanted = shapeOfSchema(aggregator!, aggregator!) as Record<string, Shape>;
    const typed = interfaceOf('kernel/contracts/settings.ts', 'AggregatorSettings');
    expect(Object.keys(typed)).to.include('port');
    expect(wanted).to.deep.include(typed);
  });
});
