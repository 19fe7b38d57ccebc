import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Env } from 'pegboard';

type Texts = Readonly<Record<string, string>>;

/** Values of a definition with their references filled in. */
export interface Filled {
  /** Filled texts by name; a reference that cannot be filled becomes an empty string. */
  readonly values: Texts;
  /** Name and text of everything to hide: first each value, then each part of one that came from a reference. */
  readonly secrets: readonly (readonly [name: string, text: string])[];
  /** The references that cannot be filled, with the reason, worded to follow the name of the value; contains no value. */
  readonly faults: readonly { readonly name: string; readonly message: string }[];
}

const REFERENCE = /\$\{(env|file):([^{}]+)\}/g;
/** Far more than any key or certificate. */
const MAX_FILE_BYTES = 1_048_576;

/** Fills `${env:NAME}` and `${file:PATH}`. @param directory base of relative paths */
export function fillReferences(values: Texts, directory: string, env: Env = process.env): Filled {
  const secrets: [string, string][] = [];
  const faults: { name: string; message: string }[] = [];
  const filled = Object.entries(values).map(([name, value]) => {
    const read = (_: string, kind: string, target: string): string => {
      try {
        const text = kind === 'env' ? variable(target, env) : content(resolve(directory, target));
        secrets.push([name, text]);
        return text;
      } catch (error) {
        faults.push({ name, message: (error as Error).message });
        return '';
      }
    };
    return [name, value.replace(REFERENCE, read)] as const;
  });
  return { values: Object.fromEntries(filled), secrets: [...filled, ...secrets], faults };
}

/** Whether a text consists of references only, apart from the scheme of an Authorization header: then it contains no secret. */
export function holdsOnlyReferences(text: string): boolean {
  const given = text.replace(/^(Bearer|Basic|Token) /i, '');
  return given !== '' && given.replace(/\$\{(env|file|caller|secret):[^{}]+\}/g, '') === '';
}

function variable(name: string, env: Env): string {
  const value = env[name];
  if (value !== undefined) return value;
  throw new Error(`names the environment variable ${name}, which is not set; set it and restart Pegboard`);
}

function content(path: string): string {
  try {
    const facts = statSync(path);
    // Reading a pipe or a device would block the process.
    if (!facts.isFile()) throw new Error('it is not a regular file');
    if (facts.size > MAX_FILE_BYTES) throw new Error(`it has over ${MAX_FILE_BYTES} bytes`);
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new Error(`names the file ${path}, which cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
