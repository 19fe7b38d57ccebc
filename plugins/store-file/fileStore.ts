import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'yaml';
import { definitionNameFault, GatewayError, isObject } from 'pegboard';
import { inTurn } from 'pegboard/kit';
import type { ConfigControl, ResourceKind, Settings } from 'pegboard';
import { createFile, replaceFile } from '../kit/files/atomicFile.ts';
import { annotationsOf, writerIn } from '../kit/definitions/registeredBy.ts';
import { schemaLine } from '../kit/definitions/schemaLine.ts';
import { withoutUndefined } from '../kit/definitions/withoutUndefined.ts';
import type { ResourceStore, StoredDefinition } from '../contracts/definitions.ts';
import { editYaml } from '../kit/files/editYaml.ts';
import { writing } from '../kit/files/writing.ts';
import type { FileDefinition } from './fileDefinition.ts';
import type { DefinitionFile, Folders } from './folders.ts';
import { namesOf } from './load.ts';

/** What has a definition's name; its `definition` is undefined if it is broken. */
type Match = Omit<DefinitionFile, 'issues'>;

/** Definitions as YAML files below the configuration directory. Writes within this process happen one after another. */
export class FileStore implements ResourceStore {
  readonly mode = 'filesystem';
  readonly #folders: Folders;
  readonly #control: () => ConfigControl;
  readonly #maxFileBytes: () => number;
  readonly #writeAttempts: () => number;
  readonly #inTurn = inTurn();

  constructor(
    folders: Folders,
    control: () => ConfigControl,
    maxFileBytes: () => number,
    writeAttempts: () => number,
  ) {
    this.#folders = folders;
    this.#control = control;
    this.#maxFileBytes = maxFileBytes;
    this.#writeAttempts = writeAttempts;
  }

  async list(kindName: string): Promise<readonly StoredDefinition[]> {
    const files = await this.#ownFiles(this.#kind(kindName));
    return files.flatMap(({ definition }) => (definition === undefined ? [] : [toStored(definition)]));
  }

  /** @throws GatewayError CONFIG_UNREADABLE if its file is broken */
  async get(kindName: string, name: string): Promise<StoredDefinition | undefined> {
    const match = await this.#find(this.#kind(kindName), name);
    if (match === undefined) return undefined;
    return toStored(wholeDefinition(match));
  }

  create(kindName: string, definition: StoredDefinition): Promise<void> {
    return this.#inTurn(async () => {
      const kind = this.#kind(kindName);
      const fault = definitionNameFault(definition.name);
      if (fault !== undefined) throw new GatewayError('STORE_FORBIDDEN', fault);
      const match = await this.#find(kind, definition.name);
      if (match !== undefined) throw conflict(kind, definition.name, match.file);
      const folder = join(this.#control().directory, kind.directory);
      const file = join(folder, `${definition.name}.yaml`);
      this.#refuseLarge(JSON.stringify(definition.spec));
      const text = newFile(kind, definition, this.#control().settings());
      this.#refuseLarge(text);
      const isNew = await writing(file, async () => {
        await mkdir(folder, { recursive: true });
        return createFile(file, text);
      });
      if (!isNew) throw conflict(kind, definition.name, file);
    });
  }

  replace(kindName: string, { name, spec, registeredBy }: StoredDefinition): Promise<void> {
    return this.#inTurn(async () => {
      const kind = this.#kind(kindName);
      this.#refuseLarge(JSON.stringify(spec));
      for (let attempt = 1; attempt <= this.#writeAttempts(); attempt += 1) {
        const match = await this.#find(kind, name);
        if (match === undefined) throw notFound(kind, name);
        refusePart(match, kind, name);
        const { file, text } = match;
        const edited = await editedText(match, wholeDefinition(match), { spec, registeredBy });
        this.#refuseLarge(edited);
        if (await writing(file, () => replaceFile(file, text ?? '', edited))) return;
      }
      throw new GatewayError('STORE_CONFLICT', `the file of ${kind.name} ${name} keeps changing; try again`);
    });
  }

  delete(kindName: string, name: string): Promise<void> {
    return this.#inTurn(async () => {
      const kind = this.#kind(kindName);
      const match = await this.#find(kind, name);
      if (match === undefined) throw notFound(kind, name);
      refusePart(match, kind, name);
      await writing(match.file, () => rm(match.file, { force: true }));
    });
  }

  /** A file that is too large to be read again is not written. @throws GatewayError STORE_FORBIDDEN */
  #refuseLarge(text: string): void {
    const most = this.#maxFileBytes();
    const bytes = Buffer.byteLength(text);
    if (bytes <= most) return;
    const fix = 'shorten it or raise plugins.store-file.config.maxFileBytes';
    throw new GatewayError('STORE_FORBIDDEN', `the definition has ${bytes} bytes, more than ${most}; ${fix}`);
  }

  #kind(name: string): ResourceKind {
    const kind = this.#control()
      .kinds()
      .find((one) => one.name === name);
    if (kind !== undefined) return kind;
    throw new GatewayError(
      'CONFIG_REFERENCE',
      `no running plugin knows the kind ${name}; enable one that does`,
    );
  }

  async #ownFiles(kind: ResourceKind): Promise<readonly DefinitionFile[]> {
    const control = this.#control();
    const { namespace } = control.settings();
    const files = await this.#folders.read(control.directory, kind);
    return files.filter(({ definition }) => (definition?.namespace ?? namespace) === namespace);
  }

  /** As in the pipeline, the first valid file of that name counts; a broken one only if there is no other. */
  async #find(kind: ResourceKind, name: string): Promise<Match | undefined> {
    const control = this.#control();
    const files = await this.#ownFiles(kind);
    const named = files.filter((file) => namesOf(file, { files, control, kind }).includes(name));
    return named.find(({ definition }) => definition !== undefined) ?? named[0];
  }
}

function toStored({ name, labels, annotations, spec }: FileDefinition): StoredDefinition {
  return { name, ...(labels && { labels }), spec, ...writerIn(annotations) };
}

function wholeDefinition({ file, definition }: Match): FileDefinition {
  if (definition !== undefined) return definition;
  throw new GatewayError(
    'CONFIG_UNREADABLE',
    `${file} is broken; repair it by hand or delete the definition`,
  );
}

/** @throws GatewayError STORE_FORBIDDEN for a file with other definitions, whose comments and order an edit would not keep */
function refusePart({ file, isPart }: Match, kind: ResourceKind, name: string): void {
  if (!isPart) return;
  const fix = 'give each a file of its own, or edit it by hand';
  throw new GatewayError('STORE_FORBIDDEN', `${file} has more than ${kind.name} ${name}; ${fix}`);
}

/** A file in flat form has no place for a writer, and stays the operator's. */
async function editedText(
  { text = '' }: Match,
  { isFlat, annotations: before }: FileDefinition,
  { spec, registeredBy }: Pick<StoredDefinition, 'spec' | 'registeredBy'>,
): Promise<string> {
  if (isFlat) return editYaml(text, [], spec, ['name']);
  const edited = await editYaml(text, ['spec'], spec);
  const annotations = withoutUndefined({ ...(isObject(before) && before), ...annotationsOf(registeredBy) });
  if (isDeepStrictEqual(annotations, before ?? {})) return edited;
  return editYaml(edited, ['metadata', 'annotations'], annotations);
}

function newFile(
  kind: ResourceKind,
  { name, labels, spec, registeredBy }: StoredDefinition,
  settings: Settings,
): string {
  const { namespace } = settings;
  const metadata = {
    name,
    ...(namespace !== 'default' && { namespace }),
    ...(labels && { labels }),
    ...(registeredBy && { annotations: withoutUndefined(annotationsOf(registeredBy)) }),
  };
  const resource = { apiVersion: 'pegboard.dev/v1alpha1', kind: kind.name, metadata, spec };
  return `${schemaLine(kind.name, { ...settings })}${stringify(resource, { lineWidth: 0 })}`;
}

function conflict(kind: ResourceKind, name: string, file: string): GatewayError {
  const fix = 'change that one or choose another name';
  return new GatewayError('STORE_CONFLICT', `${kind.name} ${name} exists already in ${file}; ${fix}`);
}

function notFound(kind: ResourceKind, name: string): GatewayError {
  return new GatewayError(
    'STORE_NOT_FOUND',
    `${kind.name} ${name} not found; it may have been deleted meanwhile`,
  );
}
