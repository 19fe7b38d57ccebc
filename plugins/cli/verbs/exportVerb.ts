import { join } from 'node:path';
import type { Invocation } from 'pegboard';
import { objectNameFault, storableSpec } from '../../kit/definitions/storableSpec.ts';
import { optionsOf } from '../commonOptions.ts';
import { DEFINITION_KINDS, FOLDERS } from '../definitions/definitionKinds.ts';
import { documentsBelow } from '../definitions/documentsBelow.ts';
import { fileText } from '../definitions/plainDefinition.ts';
import { readFiles, refuseTwice } from '../definitions/readDocuments.ts';
import type { Document } from '../definitions/readDocuments.ts';
import { schemaLineIn } from '../schemaLineIn.ts';
import { Failure } from '../failure.ts';
import { textAt, writePrivate } from '../files.ts';
import { printList } from '../output/print.ts';
import { progressTo } from '../progressTo.ts';
import { verb } from '../verb.ts';

interface ExportOptions {
  readonly kubernetes?: string;
  readonly files?: string;
  readonly file?: readonly string[];
  readonly force?: boolean;
}
interface Exported {
  readonly document: Document;
  readonly file: string;
  readonly text: string;
  /** The text of the file as it is; undefined without one. */
  readonly before: string | undefined;
}

export const exportVerb = verb({
  name: 'export',
  summary: 'write definitions as custom resources for kubectl, or as files',
  options: [
    { flags: '--kubernetes <dir>', description: 'write custom resources, one a file' },
    { flags: '--files <dir>', description: 'write the folders of a configuration directory' },
    {
      flags: '-f, --file <file>',
      description: 'definitions to write, else those of the configuration directory; - is standard input',
      isList: true,
    },
    { flags: '--force', description: 'overwrite files that differ' },
  ],
  examples: [
    'pegboard export --kubernetes objects && kubectl apply -f objects',
    'kubectl get mcpservers,workflows,toolsetpresets,accesses -o yaml | pegboard export --files ~/.config/pegboard -f -',
  ],
  run: async (invocation) => {
    const { kubernetes, files, file, force = false } = optionsOf<ExportOptions>(invocation);
    const folder = kubernetes ?? files;
    if (folder === undefined || (kubernetes !== undefined && files !== undefined))
      throw new Failure('write either --kubernetes DIR or --files DIR');
    const documents = await sourceOf(invocation, file);
    if (kubernetes !== undefined) refuseNames(documents);
    const form = kubernetes === undefined ? inFolders : asObjects;
    const lineOf = (kind: string): Promise<string> => schemaLineIn(files ?? invocation.directory, kind);
    const exported = await Promise.all(
      documents.map((document) => planned(document, folder, { form, lineOf })),
    );
    const differing = exported.filter(({ text, before }) => before !== undefined && before !== text);
    if (differing.length > 0 && !force) {
      const names = differing.map((one) => one.file).join(', ');
      throw new Failure(
        `${names} exists already and differs, nothing was written; overwrite it with --force`,
      );
    }
    for (const { file: path, text, before } of exported) if (before !== text) await writePrivate(path, text);
    print(invocation, exported);
    if (kubernetes !== undefined) progressTo(invocation)(`kubectl apply -f ${kubernetes} creates them`);
    return 0;
  },
});

/** Where a definition goes below the directory, and what is written of it. */
type Form = (document: Document) => { readonly name: string; readonly definition: Document };

const inFolders: Form = (document) => ({
  name: join(document.kind.folder, `${document.name}.yaml`),
  definition: document,
});

/** kubectl reads no folders below the one that it is given. */
const asObjects: Form = (document) => ({
  name: `${document.kind.word}-${document.name}.yaml`,
  definition: { ...document, spec: storableSpec(document.spec) },
});

async function sourceOf(
  { directory, terminal }: Invocation,
  files: readonly string[] = [],
): Promise<readonly Document[]> {
  if (files.length > 0) return readFiles(files, terminal.input);
  const kinds = await Promise.all(DEFINITION_KINDS.map((kind) => documentsBelow(directory, kind)));
  const documents = refuseTwice(kinds.flat());
  if (documents.length > 0) return documents;
  throw new Failure(`${directory} has no definitions in ${FOLDERS}; name files with -f`);
}

function refuseNames(documents: readonly Document[]): void {
  const faults = documents.flatMap(({ name, place }) => {
    const fault = objectNameFault(name);
    return fault === undefined ? [] : [`${place([])}: ${fault}`];
  });
  if (faults.length > 0) throw new Failure(`nothing was written:\n${faults.join('\n')}`);
}

async function planned(
  document: Document,
  folder: string,
  { form, lineOf }: { readonly form: Form; readonly lineOf: (kind: string) => Promise<string> },
): Promise<Exported> {
  const { name, definition } = form(document);
  const file = join(folder, name);
  const text = `${await lineOf(document.kind.kind)}${fileText(definition)}`;
  return { document, file, text, before: await textAt(file) };
}

function print(invocation: Invocation, exported: readonly Exported[]): void {
  const items = exported.map(({ document: { name, kind }, file, text, before }) => {
    const action = before === undefined ? 'written' : before === text ? 'unchanged' : 'overwritten';
    return { name, kind: kind.kind, file, action };
  });
  const columns = ['name', 'kind', 'file', 'action'].map((value) => ({ title: value, value }));
  printList(invocation, 'definitions', items, columns);
}
