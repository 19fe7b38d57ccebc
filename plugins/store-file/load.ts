import { dirname, join } from 'node:path';
import { isGatewayError } from 'pegboard';
import type { ConfigControl, Issue, Log, Resource, ResourceDraft, ResourceKind } from 'pegboard';
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
export function createLoader(folders: Folders, log: Log, isStrict: () => boolean) {
  const skipped = new WeakSet<FileDefinition>();

  const logSkipped = (file: string, definition: FileDefinition): void => {
    if (skipped.has(definition)) return;
    skipped.add(definition);
    log.debug('definition of another namespace skipped', { file, namespace: definition.namespace });
  };
  const readKind = async (control: ConfigControl, kind: ResourceKind): Promise<Found> => {
    const { namespace } = control.settings();
    const files = await folders.read(control.directory, kind);
    const resources: Resource[] = [];
    for (const { file, definition } of files) {
      if (definition === undefined) continue;
      if ((definition.namespace ?? namespace) === namespace) resources.push(toResource(kind, definition));
      else logSkipped(file, definition);
    }
    const broken = files
      .filter(({ definition }) => definition === undefined)
      .map((file) => ({
        ...file,
        definition: { kind: kind.name, name: definitionName(file, control, kind) },
      }));
    return {
      resources,
      unreadable: broken.map(({ definition }) => definition),
      issues: broken.flatMap(({ issues, definition }) => issues.map((issue) => ({ ...issue, definition }))),
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

/** The name of a broken file's definition is that of the last good version, if there is one. */
export function definitionName(
  { file, definition }: DefinitionFile,
  control: ConfigControl,
  kind: ResourceKind,
): string {
  if (definition !== undefined) return definition.name;
  const inForce = control.resources(kind.name).find(({ origin }) => origin.locate([]).file === file);
  return inForce?.name ?? baseNameOf(file);
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
