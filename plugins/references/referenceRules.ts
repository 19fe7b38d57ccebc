import { realpathSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { compileGlob } from '../kit/text/glob.ts';
import type { Glob } from '../kit/text/glob.ts';
import type { ReferencesConfig } from './config.ts';

const FILE = 'file:';

/** The configuration, asked about single references. */
export class ReferenceRules {
  readonly #directory: string;
  readonly #allowed: readonly Glob[];
  readonly #folders: readonly string[] | undefined;

  /** @param directory base of relative paths */
  constructor({ references: { allow, files } }: ReferencesConfig, directory: string) {
    this.#directory = directory;
    this.#allowed = allow.map((pattern) => compileGlob(this.#absolute(pattern)));
    this.#folders = files?.map((folder) => realOf(resolve(directory, folder)));
  }

  /** Whether everybody who may write definitions may write it. */
  allows(name: string): boolean {
    const absolute = this.#absolute(name);
    return this.#allowed.some((matches) => matches(absolute)) && !this.isOutside(name);
  }

  /** Whether it is a file outside of the folders. */
  isOutside(name: string): boolean {
    if (this.#folders === undefined || !name.startsWith(FILE)) return false;
    const file = realOf(resolve(this.#directory, name.slice(FILE.length)));
    return !this.#folders.some((folder) => file.startsWith(folder.endsWith(sep) ? folder : folder + sep));
  }

  /** The name with the path of a file as it will be read, because `secrets/../x` is not in secrets. */
  #absolute(name: string): string {
    return name.startsWith(FILE) ? FILE + resolve(this.#directory, name.slice(FILE.length)) : name;
  }
}

/** The path without symbolic links; as given if there is no such file, which then cannot be read either. */
function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
