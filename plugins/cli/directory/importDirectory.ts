import { readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { isObject, placeText, readSchema, readYaml } from 'pegboard';
import type { Invocation, JsonObject } from 'pegboard';
import { stringify } from 'yaml';
import { ImportRecord } from '../clients/importRecord.ts';
import { writeRecorded } from '../clients/writeRecorded.ts';
import { optionsOf } from '../commonOptions.ts';
import { confirm } from '../confirm.ts';
import { DEFINITION_KINDS, FOLDERS } from '../definitions/definitionKinds.ts';
import type { DefinitionKind } from '../definitions/definitionKinds.ts';
import { fileText } from '../definitions/plainDefinition.ts';
import { readDocuments } from '../definitions/readDocuments.ts';
import { schemaLine } from '../../kit/definitions/schemaLine.ts';
import { Failure } from '../failure.ts';
import { textAt } from '../files.ts';
import { asText } from '../output/print.ts';
import { tableLines } from '../output/tableLines.ts';
import { progressTo } from '../progressTo.ts';
import { convertedSettings } from './convertedSettings.ts';
import { knownPart } from './knownPart.ts';

interface PlannedFile {
  /** Absolute path of what is written. */
  readonly path: string;
  readonly from: string;
  readonly text: string;
  readonly what: 'new' | 'already there' | 'left out: another file is there';
}
interface Settings {
  readonly text: string;
  /** All definitions get its namespace: another gateway reads those of any. */
  readonly settings: JsonObject;
  readonly notes: readonly string[];
}
/** The schemas of all keys that muster's config.yaml may have. */
const SETTINGS = [
  'config',
  ...['auth-server', 'auth-client', 'auth-exchange', 'admin'].map((name) => `config/${name}`),
];

interface Plan {
  readonly files: readonly PlannedFile[];
  readonly faults: readonly string[];
  readonly notes: readonly string[];
}

/** Writes the configuration directory of another gateway into ours, and changes nothing in place.
 *  @param source its directory @param isDry whether it shows only @returns the exit code @throws Failure */
export async function importDirectory(
  invocation: Invocation,
  source: string,
  isDry: boolean,
): Promise<number> {
  const from = resolve(source);
  if (from === resolve(invocation.directory))
    throw new Failure(`${from} is the directory itself; name another one with --config-path`);
  const plan = await planOf(from, invocation.directory);
  const { terminal } = invocation;
  const tell = progressTo(invocation);
  terminal.out(shown(plan, invocation));
  for (const fault of plan.faults) terminal.err(`pegboard: ${fault}\n`);
  for (const note of plan.notes) tell(note);
  const fresh = plan.files.filter(({ what }) => what === 'new');
  const isWhole = plan.faults.length === 0 && plan.files.every(({ what }) => !what.startsWith('left out'));
  if (fresh.length === 0) tell('nothing to import');
  if (isDry || fresh.length === 0) return isWhole ? 0 : 1;
  if (!(await confirm(invocation, `Write ${fresh.length} file${fresh.length === 1 ? '' : 's'}?`))) {
    tell('nothing was written');
    return 1;
  }
  await ImportRecord.locked(invocation.directory, (record) =>
    writeRecorded(
      fresh.map((definition) => ({ definition, secrets: [] })),
      record,
    ),
  );
  tell(`imported ${fresh.length}; take it back with: pegboard import --undo`);
  tell(`see what is left to change: pegboard check --config-path ${invocation.directory}`);
  return isWhole ? 0 : 1;
}

async function planOf(from: string, to: string): Promise<Plan> {
  const faults: string[] = [];
  const notes: string[] = [];
  const settings = await settingsIn(join(from, 'config.yaml'), faults);
  const definitions = await Promise.all(
    DEFINITION_KINDS.map((kind) =>
      definitionsIn(from, kind, { settings: settings?.settings ?? {}, faults, notes }),
    ),
  );
  const found = [
    ...(settings === undefined
      ? []
      : [{ name: 'config.yaml', from: join(from, 'config.yaml'), text: settings.text }]),
    ...definitions.flat(),
  ];
  if (found.length === 0 && faults.length === 0)
    throw new Failure(`${from} has no config.yaml, and no definitions in ${FOLDERS}`);
  const files = found.map(async ({ name, ...file }): Promise<PlannedFile> => {
    const path = join(to, name);
    const there = await textAt(path);
    const what =
      there === undefined ? 'new' : there === file.text ? 'already there' : 'left out: another file is there';
    return { path, ...file, what };
  });
  return { files: await Promise.all(files), faults, notes: [...(settings?.notes ?? []), ...notes] };
}

async function settingsIn(file: string, faults: string[]): Promise<Settings | undefined> {
  const text = await textAt(file);
  if (text === undefined) return undefined;
  const source = readYaml(text, file);
  const { value, issues } = source;
  for (const issue of issues) faults.push(`${placeText(issue) ?? file}: ${issue.message}`);
  if (issues.length > 0 || !isObject(value)) return undefined;
  const converted = convertedSettings(value);
  const { value: settings, leftOut } = knownPart(
    converted.settings,
    SETTINGS.map((name) => readSchema(name)),
  );
  return {
    text: `${schemaLine('config', settings)}${stringify(settings, { lineWidth: 0 })}`,
    settings,
    notes: [
      ...converted.notes,
      ...leftOut.map((path) => unreadKey(placeText(source.locate(path)) ?? file, path)),
    ],
  };
}

function unreadKey(place: string, path: readonly (string | number)[]): string {
  return `${place}: ${path.join('.')} is left out: no key of that name is read`;
}

async function definitionsIn(
  directory: string,
  usual: DefinitionKind,
  { settings, faults, notes }: Pick<Settings, 'settings'> & Record<'faults' | 'notes', string[]>,
): Promise<readonly { readonly name: string; readonly from: string; readonly text: string }[]> {
  const namespace = typeof settings['namespace'] === 'string' ? settings['namespace'] : undefined;
  const folder = join(directory, usual.folder);
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => /^[^.].*\.ya?ml$/.test(name)).sort();
  const found = files.map(async (name) => {
    const from = join(folder, name);
    try {
      return readDocuments((await textAt(from)) ?? '', from, usual).map((document) => {
        const { kind, name, place } = document;
        const { value: spec, leftOut } = knownPart(document.spec, [
          readSchema(`kinds/${kind.kind.toLowerCase()}`),
        ]);
        notes.push(...leftOut.map((path) => unreadKey(place(path), path)));
        return {
          name: join(kind.folder, `${name}.yaml`),
          from,
          text: `${schemaLine(kind.kind, settings)}${fileText({ ...document, spec }, namespace)}`,
        };
      });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      faults.push(error.message);
      return [];
    }
  });
  return (await Promise.all(found)).flat();
}

function shown({ files, faults, notes }: Plan, invocation: Invocation): string {
  const { output, headers } = optionsOf(invocation);
  const facts: JsonObject = {
    files: files.map(({ path, from, what }) => ({ path, from, what })),
    faults,
    notes,
  };
  if (output === 'json' || output === 'yaml') return asText(facts, output);
  if (output === 'name') return files.map(({ path }) => `${path}\n`).join('');
  const { isTerminal, columns } = invocation.terminal;
  const rows = files.map(({ path, from, what }) => [basename(from), path, what]);
  return tableLines(['from', 'file', 'what'], rows, {
    hasHeaders: headers,
    columns: isTerminal ? columns : undefined,
  });
}
