import { dirname, isAbsolute, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { isObject } from 'pegboard';
import { scalarText } from '../../definitions/scalarText.ts';
import type { ClientPlace } from '../places.ts';
import { textIn, textsIn } from './entryFields.ts';
import type { EntryFields } from './entryFields.ts';
import { ownText } from './variables.ts';
import type { Variables } from './variables.ts';

/** What clients call a file of variables. */
export const ENV_FILE_KEYS = ['envFile', 'env_file', 'envFiles'] as const;

export type Texts = Readonly<Record<string, string>>;

/** Variables of the process, as the entry says, not yet in Pegboard's words. */
export function envOf(fields: EntryFields): Texts {
  const given = pairsAt(fields, ['env', 'environment', 'envs', 'environmentVariables']);
  return Object.assign({}, forwarded(fields), ...[...given].reverse()) as Texts;
}

/** The variables of the files that an entry names; what cannot be read is left behind. */
export function envFilesOf(
  fields: EntryFields,
  {
    place,
    variables,
    notes,
  }: { readonly place: ClientPlace; readonly variables: Variables; readonly notes: string[] },
): Texts {
  const values: Record<string, string> = {};
  for (const key of ENV_FILE_KEYS)
    for (const file of fields.take([key], textsIn) ?? []) {
      const said = variables.word(file);
      const path = 'text' in said ? pathIn(said.text, place) : undefined;
      const text = path === undefined ? undefined : ownText(path, place);
      if (text === undefined)
        fields.leave(key, `${path ?? file} cannot be read here; write what it holds as env`);
      else {
        Object.assign(values, parseEnv(text));
        notes.push(`${path} was read now; what changes there later is not seen`);
      }
    }
  return values;
}

/** Headers, as the entry says, not yet in Pegboard's words. */
export function headersOf(fields: EntryFields): Texts {
  const spellings = ['headers', 'http_headers', 'httpHeaders', 'customHeaders', 'extraHeaders'];
  const own = [fields, fields.below('requestOptions'), fields.below('requestInit')].flatMap((one) =>
    pairsAt(one, spellings),
  );
  const named = Object.entries(pairsAt(fields, ['env_http_headers'])[0] ?? {});
  const bearer =
    fields.take(['bearer_token_env_var'], (value) => textIn(value) && `\${env:${String(value)}}`) ??
    fields.take(['bearerToken', 'bearer_token', 'apiKey', 'authToken'], textIn) ??
    fields.below('auth').take(['token'], textIn);
  const headers = Object.assign(
    {},
    Object.fromEntries(named.map(([name, variable]) => [name, `\${env:${variable}}`])),
    ...[...own].reverse(),
  ) as Texts;
  const isNamed = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  return bearer === undefined || isNamed ? headers : { Authorization: `Bearer ${bearer}`, ...headers };
}

/** References to variables of these names. */
export function referring(names: readonly string[]): Texts {
  return Object.fromEntries(names.map((name) => [name, `\${env:${name}}`]));
}

/** Variables that Codex (`env_vars`, also as `{name}`) and Goose (`env_keys`) pass on by name. */
function forwarded(fields: EntryFields): Texts {
  const names = fields.takeAll(['env_vars', 'env_keys'], (value) =>
    Array.isArray(value)
      ? textsIn((value as unknown[]).map((one) => (isObject(one) ? one['name'] : one)))
      : undefined,
  );
  return referring(names.flat());
}

/** Texts by name at each of these keys; what is not a text is left behind. */
function pairsAt(fields: EntryFields, keys: readonly string[]): readonly Texts[] {
  return keys.flatMap((key) => {
    const given = fields.take([key], (value) => (typeof value === 'object' ? pairsIn(value) : undefined));
    if (given === undefined) return [];
    const texts = given.flatMap(([name, value]): readonly (readonly [string, string])[] => {
      if (value === null) return [];
      const text = scalarText(value);
      if (text !== undefined) return [[name, text]];
      fields.leave(`${key}.${name}`, 'it is not a text');
      return [];
    });
    return [Object.fromEntries(texts)];
  });
}

/** Some write lists of `NAME=value`, or of `NAME: value` for headers. */
function pairsIn(given: object | null): readonly (readonly [string, unknown])[] {
  if (!Array.isArray(given)) return Object.entries(given ?? {});
  return (given as unknown[]).map((one, at): readonly [string, unknown] => {
    const [, name, text] = /^\s*([\w-]+)\s*[=:]\s*(.*)$/s.exec(textIn(one) ?? '') ?? [];
    return name === undefined ? [`${at + 1}`, {}] : [name, text];
  });
}

function pathIn(text: string, { path, folder, scope }: ClientPlace): string {
  return isAbsolute(text) ? text : resolve(scope === 'user' ? dirname(path) : folder, text);
}
