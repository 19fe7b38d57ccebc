import { readFile } from 'node:fs/promises';
import { text as textIn } from 'node:stream/consumers';
import { basename } from 'node:path';
import { definitionNameFault, isObject, messageOf, placeText } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { documentsIn } from '../../kit/definitions/documentsIn.ts';
import { Failure } from '../failure.ts';
import type { PlainDefinition } from './plainDefinition.ts';
import { DEFINITION_KINDS, KIND_NAMES, SERVER_KIND, WORKFLOW_KIND } from './definitionKinds.ts';
import type { DefinitionKind } from './definitionKinds.ts';

type Path = readonly (string | number)[];

/** A definition of a file, and where its parts are. */
export interface Document extends PlainDefinition {
  /** `file:line:column` of a path below its spec. */
  readonly place: (path: Path) => string;
}

/** The definitions of YAML text: of one or more documents, and of the items of a List. @param file for messages
 *  @param usual kind of those that name none; absent: it follows from their keys @throws Failure naming the lines of all faults */
export function readDocuments(text: string, file: string, usual?: DefinitionKind): readonly Document[] {
  const faults: string[] = [];
  const documents = documentsIn(text, file).flatMap((source): Document[] => {
    const { value, issues } = source;
    const fault = (path: Path, message: string): void =>
      void faults.push(`${placeText(source.locate(path)) ?? file}: ${message}`);
    for (const issue of issues) faults.push(`${placeText(issue) ?? file}: ${issue.message}`);
    if (issues.length > 0 || value === undefined || value === null) return [];
    const before = faults.length;
    const document = isObject(value) ? readDocument(value, { file, usual, fault }) : undefined;
    if (!isObject(value)) fault([], 'a definition is a map of keys and values');
    if (document === undefined || faults.length > before) return [];
    const { below, ...definition } = document;
    return [{ ...definition, place: (path) => placeText(source.locate([...below, ...path])) ?? file }];
  });
  if (faults.length > 0) throw new Failure(faults.join('\n'));
  if (documents.length === 0) throw new Failure(`${file} holds no definition`);
  return documents;
}

/** Those of files; `-` is standard input. @throws Failure */
export async function readFiles(
  files: readonly string[],
  input: NodeJS.ReadableStream,
): Promise<readonly Document[]> {
  if (files.length === 0) throw new Failure('which file? name it with -f; - is standard input');
  const all: Document[] = [];
  for (const file of files) all.push(...readDocuments(await textOf(file, input), file));
  return refuseTwice(all);
}

/** The same definitions. @throws Failure if two have one name */
export function refuseTwice(all: readonly Document[]): readonly Document[] {
  const twice = all.find(({ kind, name }, at) =>
    all.slice(0, at).some((other) => other.kind === kind && other.name === name),
  );
  if (twice === undefined) return all;
  throw new Failure(`${twice.place([])}: a second ${twice.kind.word} ${twice.name}; name it differently`);
}

async function textOf(file: string, input: NodeJS.ReadableStream): Promise<string> {
  if (file !== '-')
    return readFile(file, 'utf8').catch((error: unknown) => {
      throw new Failure(`${file} cannot be read: ${messageOf(error)}`);
    });
  return textIn(input);
}

interface About {
  readonly file: string;
  readonly usual: DefinitionKind | undefined;
  readonly fault: (path: Path, message: string) => void;
}

function readDocument(
  value: JsonObject,
  { file, usual, fault }: About,
): (PlainDefinition & { readonly below: Path }) | undefined {
  const { kind: named, metadata, name: flat, labels: own, spec: inner, ...fields } = value;
  const about = isObject(metadata) ? metadata : {};
  const isFlat = inner === undefined && metadata === undefined;
  const flatSpec = Object.fromEntries(Object.entries(fields).filter(([key]) => key !== 'apiVersion'));
  const spec = isFlat ? flatSpec : isObject(inner) ? inner : {};
  const kind =
    DEFINITION_KINDS.find((one) => one.kind === named) ??
    (named === undefined ? (usual ?? ('steps' in spec ? WORKFLOW_KIND : SERVER_KIND)) : undefined);
  if (kind === undefined) {
    fault(['kind'], `kind must be ${KIND_NAMES}, not ${String(named)}`);
    return undefined;
  }
  const name = isFlat ? flat : about['name'];
  const path = isFlat ? ['name'] : ['metadata', 'name'];
  const known = name ?? (file === '-' ? undefined : basename(file).replace(/\.ya?ml$/, ''));
  if (typeof known !== 'string') {
    fault(path, 'the definition has no name; write metadata.name');
    return undefined;
  }
  const problem = definitionNameFault(known);
  if (problem !== undefined) fault(path, problem);
  const labels = isFlat ? own : about['labels'];
  return {
    kind,
    name: known,
    ...(isObject(labels) && { labels }),
    spec,
    below: isFlat ? [] : ['spec'],
  };
}
