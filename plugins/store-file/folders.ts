import { lstat, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { GatewayError } from 'pegboard';
import type { Issue, ResourceKind } from 'pegboard';
import { parseDefinitions } from './fileDefinition.ts';
import type { ParsedDefinition } from './fileDefinition.ts';
import { whyUnread } from '../kit/faults/whyUnread.ts';

/** One definition of a file, as it is on disk now. */
export interface DefinitionFile extends ParsedDefinition {
  readonly file: string;
  /** The whole file; undefined if it could not be read. */
  readonly text: string | undefined;
  /** Whether its file has other definitions too. */
  readonly isPart: boolean;
}

const READ_AT_ONCE = 32;

/** Reads the folders of definitions; files whose content did not change are not parsed again. */
export class Folders {
  readonly #maxFileBytes: () => number;
  readonly #filesByFolder = new Map<string, ReadonlyMap<string, readonly DefinitionFile[]>>();

  constructor(maxFileBytes: () => number) {
    this.#maxFileBytes = maxFileBytes;
  }

  /** The definitions of a kind, ordered by file; a missing folder counts as empty if `root` exists.
   *  @throws GatewayError CONFIG_UNREADABLE if the folder cannot be read, or `root` does not exist */
  async read(root: string, kind: ResourceKind): Promise<readonly DefinitionFile[]> {
    const folder = join(root, kind.directory);
    const former = this.#filesByFolder.get(folder);
    const names = await fileNames(folder, root);
    const files = new Map<string, readonly DefinitionFile[]>();
    for (let at = 0; at < names.length; at += READ_AT_ONCE) {
      const batch = names.slice(at, at + READ_AT_ONCE).map((name) => {
        const file = join(folder, name);
        return this.#readFile(file, kind, former?.get(file));
      });
      for (const read of await Promise.all(batch)) if (read[0] !== undefined) files.set(read[0].file, read);
    }
    this.#filesByFolder.set(folder, files);
    return [...files.values()].flat();
  }

  /** @returns none if the file was removed after the folder was listed */
  async #readFile(
    file: string,
    kind: ResourceKind,
    former: readonly DefinitionFile[] | undefined,
  ): Promise<readonly DefinitionFile[]> {
    const read = await readText(file, this.#maxFileBytes());
    if (read === undefined) return [];
    if ('message' in read) {
      const issues = [unreadable(file, read.message)];
      return [{ file, text: undefined, isPart: false, definition: undefined, issues }];
    }
    const { text } = read;
    if (former?.[0]?.text === text) return former;
    const parsed = parseDefinitions(text, file, kind);
    return parsed.map((one) => ({ file, text, isPart: parsed.length > 1, ...one }));
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
