import type { ClientEntry } from '../../kit/clients/clientEntry.ts';
import type { Server } from '../../kit/clients/entry/serverOfEntry.ts';
import { wantedName } from './freeNames.ts';

type Texts = Server['env'];

/** A definition that is there. */
export interface Former {
  readonly name: string;
  /** The key of its plan. */
  readonly key: string;
  /** All that tells it from others but its variables. */
  readonly identity: string;
  readonly env: Texts;
}

/** The definition that was written for an entry before a file of its variables changed, and the names of those that differ; undefined
 *  if there is none. What the entry itself says has to be the same. Two accounts may differ by their files only, so the name counts, too.
 *  @param own the variables of the entry, and what else tells it from others */
export function beforeFilesChanged(
  entry: ClientEntry,
  server: Server,
  own: { readonly env: Texts; readonly identities: readonly string[]; readonly formers: readonly Former[] },
): { readonly key: string; readonly name: string; readonly changed: readonly string[] } | undefined {
  const { ofFiles } = server;
  if (ofFiles === undefined) return undefined;
  const wanted = wantedName(entry, server).toLowerCase();
  const said = Object.keys(own.env).filter((name) => !ofFiles.includes(name));
  const found = own.formers.find(
    ({ name, identity, env }) =>
      [wanted, wanted.replaceAll('_', '-')].includes(name.toLowerCase()) &&
      own.identities.includes(identity) &&
      said.every((one) => env[one] === own.env[one]),
  );
  if (found === undefined) return undefined;
  const { key, name, env } = found;
  const all = new Set([...Object.keys(env), ...ofFiles]);
  return { key, name, changed: [...all].filter((one) => env[one] !== own.env[one]).sort() };
}
