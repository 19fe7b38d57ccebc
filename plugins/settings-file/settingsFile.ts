import { lstat, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { GatewayError, isGatewayError, isObject, placeText, readYaml } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { createFile, replaceFile } from '../kit/files/atomicFile.ts';
import { editYaml } from '../kit/files/editYaml.ts';
import { writing } from '../kit/files/writing.ts';
import type { SettingsStore } from '../contracts/settings.ts';

/** How often to start again if another program saves the file in between. */
const WRITE_ATTEMPTS = 5;

/** config.yaml, edited in place. */
export class SettingsFile implements SettingsStore {
  readonly #directory: () => string;

  /** @param directory the configuration directory */
  constructor(directory: () => string) {
    this.#directory = directory;
  }

  merge(section: string, keys: JsonObject): Promise<string> {
    return this.#edit((content) => {
      const found = content[section];
      return { [section]: { ...(isObject(found) && found), ...keys } };
    });
  }

  replace(before: JsonObject, after: JsonObject): Promise<string> {
    return this.#edit((content, file) => {
      const changed = Object.keys(before).find((key) => !isDeepStrictEqual(content[key], before[key]));
      if (changed === undefined) return after;
      const text = `${changed} in ${file} is not what it was when this change was begun; begin it anew`;
      throw new GatewayError('STORE_CONFLICT', text);
    });
  }

  /** @param change gives the top-level keys to set */
  async #edit(change: (content: JsonObject, file: string) => JsonObject): Promise<string> {
    const file = join(this.#directory(), 'config.yaml');
    for (let attempt = 1; attempt <= WRITE_ATTEMPTS; attempt += 1) {
      const write = writing(file, () => editedOnce(file, change));
      if (await write.catch((error: unknown) => throwRefusal(file, error))) return file;
    }
    throw new GatewayError('STORE_CONFLICT', `${file} keeps changing; try again`);
  }
}

async function editedOnce(
  file: string,
  change: (content: JsonObject, file: string) => JsonObject,
): Promise<boolean> {
  const text = await textOf(file);
  const content = contentOf(file, text ?? '');
  const wanted = Object.entries({ ...content, ...change(content, file) }).filter(
    ([, value]) => value !== undefined,
  );
  const edited = await editYaml(text ?? '', [], Object.fromEntries(wanted));
  return text === undefined ? createFile(file, edited) : replaceFile(file, text, edited);
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
