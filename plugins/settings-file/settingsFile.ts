import { lstat, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
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

  async merge(section: string, keys: JsonObject): Promise<string> {
    const file = join(this.#directory(), 'config.yaml');
    for (let attempt = 1; attempt <= WRITE_ATTEMPTS; attempt += 1) {
      const write = writing(file, () => mergedOnce(file, section, keys));
      if (await write.catch((error: unknown) => throwRefusal(file, error))) return file;
    }
    throw new GatewayError('STORE_CONFLICT', `${file} keeps changing; try again`);
  }
}

async function mergedOnce(file: string, section: string, keys: JsonObject): Promise<boolean> {
  const text = await textOf(file);
  const edited = await editYaml(text ?? '', [section], { ...sectionOf(file, text ?? '', section), ...keys });
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

function sectionOf(file: string, text: string, section: string): JsonObject {
  const { value, issues } = readYaml(text, file);
  const [fault] = issues;
  if (fault !== undefined) {
    const place = placeText(fault) ?? file;
    throw new GatewayError('CONFIG_UNREADABLE', `${place}: ${fault.message}; repair it before saving`);
  }
  const found = isObject(value) ? value[section] : undefined;
  return isObject(found) ? found : {};
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
