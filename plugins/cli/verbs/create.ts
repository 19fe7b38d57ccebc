import type { Invocation } from 'pegboard';
import { optionsOf } from '../commonOptions.ts';
import { comparableText, definitionIn, namesIn, updateArguments } from '../definitions/plainDefinition.ts';
import type { PlainDefinition } from '../definitions/plainDefinition.ts';
import { diff } from '../definitions/diff.ts';
import { DEFINITION_KINDS, WORKFLOW_KIND, toolsOf } from '../definitions/definitionKinds.ts';
import { readFiles } from '../definitions/readDocuments.ts';
import type { Document } from '../definitions/readDocuments.ts';
import { progressTo } from '../progressTo.ts';
import { verdictOn } from '../definitions/definitionVerdict.ts';
import { Failure } from '../failure.ts';
import { Gateway, failureText } from '../gateway.ts';
import { printList } from '../output/print.ts';
import { verb } from '../verb.ts';

interface CreateOptions {
  readonly file?: readonly string[];
  readonly replace?: boolean;
  readonly dryRun?: boolean;
}

export const create = verb({
  name: 'create',
  summary: 'create servers and workflows from YAML files',
  options: [
    {
      flags: '-f, --file <file>',
      description: 'YAML file of one or more documents; - is standard input',
      isList: true,
    },
    { flags: '--replace', description: 'change those that exist already' },
    { flags: '--dry-run', description: 'show the difference to what exists; nothing is written' },
  ],
  examples: ['pegboard create -f servers.yaml', 'pegboard create -f release-notes.yaml --replace --dry-run'],
  run: async (invocation) => {
    const { file = [], replace = false, dryRun } = optionsOf<CreateOptions>(invocation);
    const documents = await readFiles(file, invocation.terminal.input);
    for (const { kind } of documents) toolsOf(kind);
    return Gateway.connected(invocation, async (gateway) => {
      await refuseInvalid(gateway, documents, invocation);
      const existing = await existingOf(gateway, documents);
      const taken = documents.filter((document) => existing.has(document));
      if (dryRun === true) return showDifference(invocation, documents, existing);
      if (taken.length > 0 && !replace) {
        const names = taken.map(({ kind, name }) => `${kind.word} ${name}`).join(', ');
        throw new Failure(`${names} exists already, nothing was written; change it with --replace`);
      }
      return write(gateway, { documents, existing, invocation });
    });
  },
});

type Existing = ReadonlyMap<Document, PlainDefinition>;

/** Nothing is written unless all are valid. @throws Failure */
async function refuseInvalid(
  gateway: Gateway,
  documents: readonly Document[],
  invocation: Invocation,
): Promise<void> {
  const say = progressTo(invocation);
  const errors: string[] = [];
  for (const document of documents) {
    const verdict = await verdictOn(gateway, document);
    errors.push(...verdict.errors);
    // That it exists is told below.
    for (const text of verdict.warnings.filter((one) => !one.includes('exists already')))
      say(`${text} (warning)`);
  }
  if (errors.length > 0) throw new Failure(`nothing was written:\n${errors.join('\n')}`);
}

async function existingOf(gateway: Gateway, documents: readonly Document[]): Promise<Existing> {
  const existing = new Map<Document, PlainDefinition>();
  for (const kind of DEFINITION_KINDS) {
    const own = documents.filter((document) => document.kind === kind);
    const names = own.length === 0 ? [] : await namesIn(gateway, kind);
    for (const document of own.filter(({ name }) => names.includes(name)))
      existing.set(document, await definitionIn(gateway, kind, document.name));
  }
  return existing;
}

function showDifference(invocation: Invocation, documents: readonly Document[], existing: Existing): number {
  for (const document of documents) {
    const before = existing.get(document);
    const lines = diff(before === undefined ? '' : comparableText(before), comparableText(document));
    const isSame = lines.every((line) => line.startsWith(' '));
    const what = before === undefined ? 'would be created' : isSame ? 'is unchanged' : 'would be changed';
    invocation.terminal.out(`# ${document.kind.word} ${document.name} ${what}\n`);
    if (!isSame) invocation.terminal.out(`${lines.join('\n')}\n`);
  }
  return 0;
}

interface Work {
  readonly documents: readonly Document[];
  readonly existing: Existing;
  readonly invocation: Invocation;
}

async function write(gateway: Gateway, { documents, existing, invocation }: Work): Promise<number> {
  const items: { readonly name: string; readonly kind: string; readonly action: string }[] = [];
  for (const document of documents) {
    const { kind, name, spec, labels } = document;
    const before = existing.get(document);
    const isLabelled = kind === WORKFLOW_KIND && before === undefined;
    if (labels !== undefined && !isLabelled)
      progressTo(invocation)(`${document.place([])}: labels are written with new workflows only (warning)`);
    const [tool, args] =
      before === undefined
        ? [
            `${toolsOf(kind)}_create`,
            { name, ...spec, ...(isLabelled && labels !== undefined && { labels }) },
          ]
        : [`${toolsOf(kind)}_update`, updateArguments(before, document)];
    const answer = await gateway.call(tool, args);
    if (answer.isError === true) {
      const written = items.map((item) => item.name).join(', ');
      throw new Failure(`${failureText(answer)}${written === '' ? '' : `; already written: ${written}`}`);
    }
    items.push({ name, kind: kind.kind, action: before === undefined ? 'created' : 'changed' });
  }
  printList(
    invocation,
    'definitions',
    items.map((item) => ({ ...item })),
    [
      { title: 'name', value: 'name' },
      { title: 'kind', value: 'kind' },
      { title: 'action', value: 'action' },
    ],
  );
  return 0;
}
