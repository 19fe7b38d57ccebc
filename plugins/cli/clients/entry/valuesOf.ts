import { dirname, isAbsolute, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { isObject } from 'pegboard';
import type { ClientPlace } from '../places.ts';
import { textIn, textsIn } from './entryFields.ts';
import type { EntryFields } from './entryFields.ts';
import { ownText } from './variables.ts';
import type { Variables } from './variables.ts';

export type Texts = Readonly<Record<string, string>>;

/** Variables of the process, as the entry says, not yet in Pegboard's words. */
export function envOf(fields: EntryFields): Texts {
  const given = fields.takeAll(['env', 'environment', 'envs', 'environmentVariables'], pairsIn);
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
  for (const key of ['envFile', 'env_file', 'envFiles'])
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
    one.takeAll(spellings, pairsIn),
  );
  const named = Object.entries(fields.take(['env_http_headers'], pairsIn) ?? {});
  const bearer =
    fields.take(['bearer_token_env_var'], (value) => textIn(value) && `\${env:${String(value)}}`) ??
    fields.take(['bearerToken', 'bearer_token', 'apiKey', 'authToken'], textIn);
  return Object.assign(
    {},
    bearer !== undefined && { Authorization: `Bearer ${bearer}` },
    Object.fromEntries(named.map(([name, variable]) => [name, `\${env:${variable}}`])),
    ...[...own].reverse(),
  ) as Texts;
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

/** Texts by name; some write lists of `NAME=value`, or of `NAME: value` for headers. */
function pairsIn(given: unknown): Texts | undefined {
  const pairs = Array.isArray(given)
    ? (given as unknown[]).map((one): readonly [string | undefined, unknown] => {
        const [, name, text] = /^\s*([\w-]+)\s*[=:]\s*(.*)$/s.exec(textIn(one) ?? '') ?? [];
        return [name, text];
      })
    : Object.entries(isObject(given) ? given : { '': undefined });
  const texts = pairs.filter(([, one]) => one !== null);
  if (
    texts.some(([name, one]) => name === undefined || !['string', 'number', 'boolean'].includes(typeof one))
  )
    return undefined;
  return Object.fromEntries(texts.map(([name = '', one]) => [name, String(one)]));
}

function pathIn(text: string, { path, folder, scope }: ClientPlace): string {
  return isAbsolute(text) ? text : resolve(scope === 'user' ? dirname(path) : folder, text);
}
