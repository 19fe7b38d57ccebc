import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GatewayError, isObject, placeText, readYaml } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { createFile, replaceFile } from './atomicFile.ts';
import type { SettingsStore } from './contract.ts';
import { editYaml } from './editYaml.ts';
import { writing } from './writing.ts';

export interface SettingsFileParts {
  /** The configuration directory. */
  readonly directory: () => string;
  /** How often to start again if another program saves the file in between. */
  readonly writeAttempts: () => number;
}

/** config.yaml, edited in place. */
export class SettingsFile implements SettingsStore {
  readonly #parts: SettingsFileParts;

  constructor(parts: SettingsFileParts) {
    this.#parts = parts;
  }

  async merge(section: string, keys: JsonObject): Promise<string> {
    const file = join(this.#parts.directory(), 'config.yaml');
    for (let attempt = 1; attempt <= this.#parts.writeAttempts(); attempt += 1) {
      if (await writing(file, () => mergedOnce(file, section, keys))) return file;
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
