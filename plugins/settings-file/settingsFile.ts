import { lstat, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { GatewayError, isGatewayError, isObject, placeText, readYaml } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { createFile, replaceFile } from '../kit/files/atomicFile.ts';
import { schemaLine } from '../kit/definitions/schemaLine.ts';
import { editYaml } from '../kit/files/editYaml.ts';
import { writing } from '../kit/files/writing.ts';
import type { Replaced, SettingsStore } from '../contracts/settings.ts';

/** How often to start again if another program saves the file in between. */
const WRITE_ATTEMPTS = 5;

/** config.yaml, edited in place. */
export class SettingsFile implements SettingsStore {
  readonly #directory: () => string;

  /** @param directory the configuration directory */
  constructor(directory: () => string) {
    this.#directory = directory;
  }

  async merge(section: string, keys: JsonObject): Promise<string> {
    const { path } = await this.#edit((content) => {
      const found = content[section];
      return { [section]: { ...(isObject(found) && found), ...keys } };
    });
    return path;
  }

  replace(before: JsonObject, after: JsonObject, inForce?: string): Promise<Replaced> {
    return this.#edit((content, file, written) => {
      const changed = Object.keys(before).find((key) => !isDeepStrictEqual(content[key], before[key]));
      const isPending = inForce !== undefined && inForce !== written;
      if (changed === undefined && !isPending) return after;
      const text = isPending
        ? `${file} has changes that are not in force; reload the configuration first`
        : `${changed ?? ''} in ${file} is not what it was when this change was begun; begin it anew`;
      throw new GatewayError('STORE_CONFLICT', text);
    });
  }

  async #edit(change: Change): Promise<Replaced> {
    const file = join(this.#directory(), 'config.yaml');
    for (let attempt = 1; attempt <= WRITE_ATTEMPTS; attempt += 1) {
      const write = writing(file, () => editedOnce(file, change));
      const edit = await write.catch((error: unknown) => throwRefusal(file, error));
      if (edit !== undefined) return { path: file, undo: () => undone(file, edit) };
    }
    throw new GatewayError('STORE_CONFLICT', `${file} keeps changing; try again`);
  }
}

/** Gives the top-level keys to set. */
type Change = (content: JsonObject, file: string, text: string) => JsonObject;
interface Edit {
  readonly before: string;
  readonly after: string;
}

async function undone(file: string, { before, after }: Edit): Promise<void> {
  if (await writing(file, () => replaceFile(file, after, before))) return;
  throw new GatewayError('STORE_CONFLICT', `${file} was changed since, and was left as it is`);
}

/** @returns undefined if another program has saved the file in between */
async function editedOnce(file: string, change: Change): Promise<Edit | undefined> {
  const text = await textOf(file);
  const content = contentOf(file, text ?? '');
  const wanted = Object.entries({ ...content, ...change(content, file, text ?? '') }).filter(
    ([, value]) => value !== undefined,
  );
  const settings = Object.fromEntries(wanted);
  const line = text === undefined ? schemaLine('config', settings) : '';
  const edited = `${line}${await editYaml(text ?? '', [], settings)}`;
  const isWritten = text === undefined ? createFile(file, edited) : replaceFile(file, text, edited);
  return (await isWritten) ? { before: text ?? '', after: edited } : undefined;
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function contentOf(file: string, text: string): JsonObject {
  const { value, issues } = readYaml(text, file);
  const [fault] = issues;
  if (fault !== undefined) {
    const place = placeText(fault) ?? file;
    throw new GatewayError('CONFIG_UNREADABLE', `${place}: ${fault.message}; repair it before saving`);
  }
  return isObject(value) ? value : {};
}

/** A mounted ConfigMap is read-only, and its files are links into `..data`. @throws the error, with the ConfigMap if that is why */
async function throwRefusal(file: string, error: unknown): Promise<never> {
  const isForbidden = isGatewayError(error) && error.code === 'STORE_FORBIDDEN';
  if (!isForbidden || !(await isLinkOfConfigMap(file))) throw error;
  const name = process.env['PEGBOARD_CONFIG_MAP'];
  const fix =
    name === undefined
      ? 'change it in the ConfigMap that is mounted there'
      : `change it in ConfigMap ${name}: kubectl edit configmap ${name}`;
  const text = `${file} is mounted from a ConfigMap and cannot be written; ${fix}`;
  throw new GatewayError('STORE_FORBIDDEN', text, { cause: error });
}

async function isLinkOfConfigMap(file: string): Promise<boolean> {
  const facts = await lstat(file).catch(() => undefined);
  return facts?.isSymbolicLink() === true && (await readlink(file)).startsWith('..data/');
}
