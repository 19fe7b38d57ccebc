import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject, messageOf } from 'pegboard';
import { Failure } from '../failure.ts';
import { releaseLock, takeLock } from '../fileLock.ts';
import { replaceText, textAt } from '../files.ts';

export interface WrittenFile {
  readonly path: string;
  /** SHA-256 of its text. */
  readonly digest: string;
}
export interface ImportStep {
  readonly kind: 'import';
  readonly servers: readonly { readonly definition: WrittenFile; readonly secrets: readonly WrittenFile[] }[];
}
export interface LinkStep {
  readonly kind: 'link';
  readonly client: string;
  /** The client's file, as it was left. */
  readonly file: WrittenFile;
  readonly format: 'json' | 'toml' | 'yaml';
  /** File with the former bytes; undefined if there was no file. */
  readonly backup: string | undefined;
  readonly touched: readonly { readonly at: readonly string[]; readonly name: string }[];
}
export type RecordedStep = ImportStep | LinkStep;

/** What import and link have written, so that it can be undone: imports/record.json in the configuration directory. */
export class ImportRecord {
  readonly #file: string;
  #text: string | undefined;
  #steps: readonly RecordedStep[];

  private constructor(file: string, text: string | undefined) {
    this.#file = file;
    this.#text = text;
    this.#steps = stepsIn(file, text);
  }

  /** One process at a time. @throws Failure if another one is at work, or the directory cannot be written */
  static async locked<T>(directory: string, use: (record: ImportRecord) => Promise<T>): Promise<T> {
    const folder = join(directory, 'imports');
    const lock = join(folder, 'lock');
    await take(folder, lock);
    try {
      const file = join(folder, 'record.json');
      return await use(new ImportRecord(file, await textAt(file)));
    } finally {
      await releaseLock(lock);
    }
  }

  get steps(): readonly RecordedStep[] {
    return this.#steps;
  }

  async add(step: RecordedStep): Promise<void> {
    await this.#save([...this.#steps, step]);
  }

  async remove(step: RecordedStep): Promise<void> {
    await this.#save(this.#steps.filter((one) => one !== step));
  }

  async #save(steps: readonly RecordedStep[]): Promise<void> {
    const text = `${JSON.stringify({ steps }, undefined, 2)}\n`;
    await replaceText(this.#file, this.#text, text);
    this.#steps = steps;
    this.#text = text;
  }
}

export function textDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function stepsIn(file: string, text: string | undefined): readonly RecordedStep[] {
  if (text === undefined) return [];
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value) && Array.isArray(value['steps'])) return value['steps'] as readonly RecordedStep[];
  } catch {
    // Said below, as for any other text that this program did not write.
  }
  throw new Failure(`${file} is damaged; remove it, then nothing written so far can be undone`);
}

async function take(folder: string, lock: string): Promise<void> {
  let holder: number | undefined;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    holder = await takeLock(lock);
  } catch (error) {
    const fix = 'name another directory with --config-path';
    throw new Failure(`${folder} cannot be written: ${messageOf(error)}; ${fix}`);
  }
  if (holder === undefined) return;
  throw new Failure(`another import is running (process ${holder}); wait for it, or remove ${lock}`);
}
