import { join } from 'node:path';
import { isObject } from 'pegboard';
import type { Env, JsonObject } from 'pegboard';
import { fileAt } from '../clients/places.ts';
import { serverOfEntry } from '../clients/entry/serverOfEntry.ts';
import { inputsIn } from '../clients/entry/variables.ts';
import { specOf } from '../clients/specOf.ts';
import { refuseForeign } from '../definitions/refuseForeign.ts';
import { Failure } from '../text/failure.ts';
import { objectIn } from './entryIn.ts';

/** What a definition says about a server, with its literal secrets. */
export interface EntrySpec {
  /** A remote one without `type` if that has to be found out. */
  readonly spec: JsonObject;
  /** What the user should know or do. */
  readonly notes: readonly string[];
}

/** Reads an entry of any client as import does. @param what names it in messages @throws Failure if it cannot be taken over */
export function specOfEntry(
  { name, value }: { readonly name: string; readonly value: JsonObject },
  { env, cwd, what }: { readonly env: Env; readonly cwd: string; readonly what: string },
): EntrySpec {
  const place = fileAt(join(cwd, 'typed.json'));
  const { entry, left: files } = withoutFiles(switchedOn(value, what));
  const [reading] = /(?<!\$)\{file:[^{}]*\}?/.exec(JSON.stringify(entry)) ?? [];
  if (reading !== undefined)
    throw new Failure(
      `${what} cannot be added: it holds ${reading}, and no file is read because of it; type the value with --env or --header`,
    );
  const server = serverOfEntry({ place, at: [], name, value: entry, inputs: new Map() }, env);
  if ('skipped' in server) throw new Failure(`${what} cannot be added: ${server.skipped}`);
  const { type, ...spec } = specOf(server);
  refuseForeign(spec, what, { allowsEnv: true });
  const left = server.left.map(({ key, reason }) => `${key} is left behind: ${reason}`);
  return {
    spec: { ...(type !== 'auto' && { type }), ...spec },
    notes: [...new Set([...files, ...server.notes, ...left])],
  };
}

/** Who adds a server wants it on; what VS Code asks for on its first start is its default, or still to be filled in. */
function switchedOn(value: JsonObject, what: string): JsonObject {
  const inputs = inputsIn(value);
  const entry = Object.entries(value).filter(([key]) => !['disabled', 'enabled', 'inputs'].includes(key));
  const text = JSON.stringify(Object.fromEntries(entry)).replaceAll(
    /\$\{input:([^{}"]+)\}/g,
    (_, id: string) => {
      const preset = inputs.get(id)?.['default'];
      if (typeof preset === 'string' && preset !== '') return JSON.stringify(preset).slice(1, -1);
      return `YOUR_${id.replaceAll(/\W+/g, '_').toUpperCase()}_VALUE`;
    },
  );
  return objectIn(text, what);
}

/** An entry without the files of variables that it names: one that strangers wrote must not have a file read. */
function withoutFiles(value: JsonObject): { readonly entry: JsonObject; readonly left: readonly string[] } {
  const left: string[] = [];
  const kept = (one: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(one).flatMap(([key, inner]) => {
        if (/^env_?files?$/i.test(key) && inner !== '' && inner !== null) {
          left.push(
            `${key} is left behind: no file is read while a server is added; type its values with --env`,
          );
          return [];
        }
        const isPart = ['transport', 'command'].includes(key) && isObject(inner);
        return [[key, isPart ? kept(inner) : inner] as const];
      }),
    );
  return { entry: kept(value), left };
}
