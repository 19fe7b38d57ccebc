import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Env } from 'pegboard';
import { isHarmless } from './isHarmless.ts';
import { variableIn } from './variableIn.ts';

type Texts = Readonly<Record<string, string>>;

type NamedText = readonly [name: string, text: string];

/** Values of a definition with their references filled in. */
export interface Filled {
  /** Filled texts by name; a reference that cannot be filled becomes an empty string. */
  readonly values: Texts;
  /** Name and text of everything to hide in values of env and headers: the values that hold a reference or are not harmless, and `referred`. */
  readonly secrets: readonly NamedText[];
  /** Each part that came from a reference, defaults excepted. */
  readonly referred: readonly NamedText[];
  /** The references that cannot be filled, with the reason, worded to follow the name of the value; contains no value. */
  readonly faults: readonly { readonly name: string; readonly message: string }[];
}

const REFERENCE = /\$\{(env|file):([^{}]+)\}/g;
const ANY_REFERENCE = /\$\{(env|file|caller|secret):([^{}]+)\}/g;
/** A reference that is cut by a brace within it. */
const CUT = /\$\{env:([^{}]+)\{/g;
/** Far more than any key or certificate. */
const MAX_FILE_BYTES = 1_048_576;

/** Fills `${env:NAME}`, `${env:NAME:-default}` and `${file:PATH}`. @param directory base of relative paths */
export function fillReferences(values: Texts, directory: string, env: Env = process.env): Filled {
  const referred: [string, string][] = [];
  const faults: { name: string; message: string }[] = [];
  const filled = Object.entries(values).map(([name, value]) => {
    const read = (_: string, kind: string, target: string): string => {
      try {
        if (kind === 'file') referred.push([name, content(resolve(directory, target))]);
        else {
          const { name: variable, fallback } = variableIn(target);
          // As in a shell: an empty variable has its default too.
          if (fallback !== undefined && (env[variable] ?? '') === '') return fallback;
          referred.push([name, valueOf(variable, env)]);
        }
        return referred.at(-1)?.[1] ?? '';
      } catch (error) {
        faults.push({ name, message: (error as Error).message });
        return '';
      }
    };
    faults.push(...cutDefaults(value).map((message) => ({ name, message })));
    return [name, value.replace(REFERENCE, read)] as const;
  });
  const named = new Set(referred.map(([name]) => name));
  const secrets = filled.filter(([name, text]) => named.has(name) || !isHarmless(name, text));
  return { values: Object.fromEntries(filled), secrets: [...secrets, ...referred], referred, faults };
}

/** Whether a text consists of references only, apart from the scheme of an Authorization header. */
export function consistsOfReferences(text: string): boolean {
  const given = text.replace(/^(Bearer|Basic|Token) /i, '');
  return given !== '' && given.replace(ANY_REFERENCE, '') === '';
}

/** Whether a text consists of references whose defaults are harmless: then it may be shown.
 *  @param name of its variable, header or key */
export function holdsOnlyReferences(text: string, name = ''): boolean {
  if (!consistsOfReferences(text)) return false;
  return [...text.matchAll(ANY_REFERENCE)].every(([, kind, target = '']) => {
    const { fallback = '' } = kind === 'env' ? variableIn(target) : {};
    return fallback === '' || isHarmless(name, fallback);
  });
}

function cutDefaults(value: string): readonly string[] {
  return [...value.matchAll(CUT)].flatMap(([, target = '']) => {
    const { name, fallback } = variableIn(target);
    if (fallback === undefined) return [];
    return [`gives ${name} a default with a brace, which ends the reference; write one without { and }`];
  });
}

function valueOf(name: string, env: Env): string {
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
