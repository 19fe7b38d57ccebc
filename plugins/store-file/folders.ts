import { lstat, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { GatewayError, messageOf } from 'pegboard';
import type { Issue, ResourceKind } from 'pegboard';
import { parseDefinition } from './fileDefinition.ts';
import type { ParsedDefinition } from './fileDefinition.ts';

/** One definition file, as it is on disk now. */
export interface DefinitionFile extends ParsedDefinition {
  readonly file: string;
  /** Undefined if it could not be read. */
  readonly text: string | undefined;
}

const READ_AT_ONCE = 32;

/** Reads the folders of definitions; files whose content did not change are not parsed again. */
export class Folders {
  readonly #maxFileBytes: () => number;
  readonly #filesByFolder = new Map<string, ReadonlyMap<string, DefinitionFile>>();

  constructor(maxFileBytes: () => number) {
    this.#maxFileBytes = maxFileBytes;
  }

  /** The files of a kind, ordered by name; a missing folder counts as empty if `root` exists.
   *  @throws GatewayError CONFIG_UNREADABLE if the folder cannot be read, or `root` does not exist */
  async read(root: string, kind: ResourceKind): Promise<readonly DefinitionFile[]> {
    const folder = join(root, kind.directory);
    const former = this.#filesByFolder.get(folder);
    const names = await fileNames(folder, root);
    const files: DefinitionFile[] = [];
    for (let at = 0; at < names.length; at += READ_AT_ONCE) {
      const batch = names.slice(at, at + READ_AT_ONCE).map((name) => {
        const file = join(folder, name);
        return this.#readFile(file, kind, former?.get(file));
      });
      files.push(...(await Promise.all(batch)).filter((file) => file !== undefined));
    }
    this.#filesByFolder.set(folder, new Map(files.map((file) => [file.file, file])));
    return files;
  }

  /** @returns undefined if the file was removed after the folder was listed */
  async #readFile(
    file: string,
    kind: ResourceKind,
    former: DefinitionFile | undefined,
  ): Promise<DefinitionFile | undefined> {
    const read = await readText(file, this.#maxFileBytes());
    if (read === undefined) return undefined;
    if ('message' in read)
      return { file, text: undefined, definition: undefined, issues: [unreadable(file, read.message)] };
    if (former?.text === read.text) return former;
    return { file, text: read.text, ...parseDefinition(read.text, file, kind) };
  }
}

async function fileNames(folder: string, root: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => /^[^.].*\.ya?ml$/.test(entry.name) && !entry.isDirectory())
      .map(({ name }) => name)
      .sort();
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (isMissing && (await isThere(root))) return [];
    const text = isMissing
      ? `the configuration directory ${root} does not exist; restore it`
      : `the folder ${folder} ${whyUnread(error)}`;
    throw new GatewayError('CONFIG_UNREADABLE', text, { cause: error });
  }
}

export function whyUnread(error: unknown): string {
  const isOutOfHandles = ['EMFILE', 'ENFILE'].includes((error as NodeJS.ErrnoException).code ?? '');
  const fix = isOutOfHandles
    ? 'too many files and connections are open; raise the limit (ulimit -n, LimitNOFILE of the unit)'
    : 'make it readable for this process';
  return `cannot be read: ${messageOf(error)}; ${fix}`;
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

type Read = { readonly text: string } | { readonly message: string } | undefined;

async function readText(file: string, maxBytes: number): Promise<Read> {
  try {
    const facts = await stat(file);
    if (!facts.isFile()) return { message: 'it is not a regular file; remove it or rename it' };
    if (facts.size > maxBytes) {
      return {
        message: `the file has over ${maxBytes} bytes; shorten it or raise plugins.store-file.config.maxFileBytes`,
      };
    }
    const bytes = await readFile(file);
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch (error) {
    if (error instanceof TypeError) return { message: 'the file is not UTF-8 text; save it as UTF-8' };
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return gone(file);
    return { message: `the file ${whyUnread(error)}` };
  }
}

async function gone(file: string): Promise<Read> {
  const isLink = await lstat(file).then(
    (facts) => facts.isSymbolicLink(),
    () => false,
  );
  return isLink
    ? { message: 'the target of the link does not exist; point it at a definition or delete it' }
    : undefined;
}

function unreadable(file: string, message: string): Issue {
  return { severity: 'error', code: 'CONFIG_UNREADABLE', message, file };
}
