import { dirname, join } from 'node:path';
import { isGatewayError } from 'pegboard';
import type { ConfigControl, Issue, Resource, ResourceDraft, ResourceKind } from 'pegboard';
import { baseNameOf } from './fileDefinition.ts';
import type { FileDefinition } from './fileDefinition.ts';
import type { DefinitionFile, Folders } from './folders.ts';
import { unreadFiles } from './unreadFiles.ts';

interface Found {
  readonly resources: readonly Resource[];
  readonly unreadable: ResourceDraft['unreadable'];
  readonly issues: readonly Issue[];
}

/** @param isStrict whether a definition with errors prevents the start
 *  @returns the function that adds the current content of the folders to a draft */
export function createLoader(folders: Folders, isStrict: () => boolean) {
  const readKind = async (control: ConfigControl, kind: ResourceKind): Promise<Found> => {
    const { namespace } = control.settings();
    const files = await folders.read(control.directory, kind);
    const found = files.flatMap(({ definition }) => definition ?? []);
    const isOurs = (definition: FileDefinition): boolean => (definition.namespace ?? namespace) === namespace;
    const broken = files
      .filter(({ definition }) => definition === undefined)
      .map((file) => ({ issues: file.issues, names: namesOf(file, { files, control, kind }) }));
    return {
      resources: found.filter(isOurs).map((definition) => toResource(kind, definition)),
      unreadable: broken.flatMap(({ names }) => names.map((name) => ({ kind: kind.name, name }))),
      issues: [
        ...broken.flatMap(({ issues, names: [name = ''] }) =>
          issues.map((issue) => ({ ...issue, definition: { kind: kind.name, name } })),
        ),
        ...found.filter((definition) => !isOurs(definition)).map((one) => elsewhere(kind, one, namespace)),
      ],
    };
  };
  return async (draft: ResourceDraft, control: ConfigControl): Promise<ResourceDraft> => {
    let { resources, unreadable, issues } = draft;
    for (const kind of control.kinds()) {
      const found = await readKind(control, kind).catch((error: unknown) => lostFolder(error, control, kind));
      resources = [...resources, ...found.resources];
      unreadable = [...unreadable, ...found.unreadable];
      issues = [...issues, ...found.issues];
    }
    const unread = await unreadFiles(control.directory, control.kinds());
    return { resources, unreadable, issues: [...issues, ...unread], isStrict: isStrict() };
  };
}

interface Read {
  /** All definitions of the kind. */
  readonly files: readonly DefinitionFile[];
  readonly control: ConfigControl;
  readonly kind: ResourceKind;
}

/** The names of a definition; of a broken one those of the last good version of its file, without what the file has now. */
export function namesOf(
  { file, definition }: DefinitionFile,
  { files, control, kind }: Read,
): readonly string[] {
  if (definition !== undefined) return [definition.name];
  const read = files.flatMap((one) => (one.file === file && one.definition ? one.definition.name : []));
  const inForce = control
    .resources(kind.name)
    .filter(({ name, origin }) => origin.locate([]).file === file && !read.includes(name))
    .map(({ name }) => name);
  return inForce.length > 0 ? inForce : [baseNameOf(file)];
}

function elsewhere(
  { name: kind }: ResourceKind,
  { name, namespace, origin }: FileDefinition,
  ours: string,
): Issue {
  const message = `${kind} ${name} is left out: its namespace is ${namespace ?? ''}, and that of config.yaml is ${ours}; change one of them, or leave metadata.namespace out`;
  return { severity: 'warning', code: 'CONFIG_INVALID', message, ...origin.locate(['namespace']) };
}

/** If a folder exists but cannot be listed, its definitions stay in force. */
function lostFolder(error: unknown, control: ConfigControl, kind: ResourceKind): Found {
  if (!isGatewayError(error)) throw error;
  const folder = join(control.directory, kind.directory);
  const kept = control
    .resources(kind.name)
    .filter(({ origin }) => dirname(origin.locate([]).file ?? '') === folder);
  const issue: Issue = { severity: 'error', code: error.code, message: error.message, file: folder };
  return { resources: [], unreadable: kept.map(({ name }) => ({ kind: kind.name, name })), issues: [issue] };
}

function toResource(kind: ResourceKind, { name, labels, spec, origin }: FileDefinition): Resource {
  return { kind: kind.name, name, ...(labels && { labels }), spec, origin };
}
