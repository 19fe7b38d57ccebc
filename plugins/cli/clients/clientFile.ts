import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { Failure } from '../failure.ts';
import { textAt } from '../files.ts';
import { isNotAllowed, withBeside } from './withBeside.ts';
import { inputsIn } from '../../kit/clients/entry/variables.ts';
import { FORMATS, SyntaxFault } from '../../kit/clients/formats.ts';
import type { KeyPath } from '../../kit/clients/formats.ts';
import { EACH_PROJECT } from '../../kit/clients/known/clients.ts';
import type { ClientEntry } from '../../kit/clients/clientEntry.ts';
import { nothingIn } from './nothingIn.ts';
import type { ClientPlace } from '../../kit/clients/places.ts';
import { entriesAt, firstTable, tablesIn } from '../../kit/clients/tables.ts';

export interface FoundEntries {
  readonly entries: readonly ClientEntry[];
  /** Text of each file that was read, by path. */
  readonly texts: ReadonlyMap<string, string>;
  /** One line each, beginning with `path:line:column`. */
  readonly faults: readonly string[];
}

/** Reads the servers of all places. A file that cannot be read is a fault, one that does not exist is not, unless it was named. */
export async function readPlaces(places: readonly ClientPlace[]): Promise<FoundEntries> {
  const texts = new Map<string, string>();
  const faults: string[] = [];
  const entries: ClientEntry[] = [];
  const files: { readonly client: string; readonly file: JsonObject }[] = [];
  for (const path of new Set(places.map((place) => place.path))) {
    const own = places.filter((place) => place.path === path);
    const isNamed = own.some((place) => place.isNamed);
    try {
      const text = await textAt(path);
      const [place] = own;
      if (text === undefined || place === undefined) {
        if (isNamed) faults.push(`${path} does not exist`);
        continue;
      }
      // Its ending decides the format, whatever place it is.
      const file = FORMATS[place.format].parse(text);
      const found = own.flatMap((one) => entriesIn(one, file));
      texts.set(path, text);
      entries.push(...found);
      for (const { client } of own) files.push({ client, file });
      if (isNamed && found.length === 0) faults.push(nothingIn(path, file));
    } catch (error) {
      // Settings of an editor may have nothing to do with MCP.
      const isOfOthers = own.every(({ isReadOnly }) => isReadOnly) && error instanceof SyntaxFault;
      if (!isOfOthers || /mcp/i.test((await textAt(path)) ?? '')) faults.push(faultText(path, error));
    }
  }
  // Settings count for the servers of extensions and projects, too.
  const everywhere = entries.map((entry) => {
    const others = files.filter(({ client, file }) => client === entry.place.client && isObject(file['mcp']));
    const isOut = others.some(({ file }) => isNotAllowed(file, entry.name));
    return isOut ? { ...entry, value: { ...entry.value, disabled: true } } : entry;
  });
  return { entries: everywhere, texts, faults };
}

/** The keys that lead to the servers of a file. */
export function keysOf({ at }: ClientPlace, file: JsonObject): KeyPath {
  return at ?? firstTable(file);
}

/** The entries by name that are objects. */
export function namedIn(file: JsonObject, at: KeyPath): readonly (readonly [string, JsonObject])[] {
  return entriesAt(file, at).filter((pair): pair is readonly [string, JsonObject] => isObject(pair[1]));
}

function entriesIn(place: ClientPlace, file: JsonObject): readonly ClientEntry[] {
  const inputs = inputsIn(file);
  return sectionsOf(place, file).flatMap((section) =>
    (section.at === undefined ? tablesIn(file) : [section.at]).flatMap((at) =>
      entriesAt(file, at).flatMap(([name, given]) => {
        const isEntry = isObject(given);
        const value = isEntry ? withBeside(file, at, [name, given]) : {};
        // Beside entries without a table, a file has other keys.
        if (!isEntry && at.length === 0) return [];
        return [{ place: section, at, name, value, inputs, ...(!isEntry && { fault: 'not an object' }) }];
      }),
    ),
  );
}

/** One place for each project of the file, the current one first; the place itself if it has no EACH_PROJECT. */
function sectionsOf(place: ClientPlace, file: JsonObject): readonly ClientPlace[] {
  const [table = '', each, ...keys] = place.at ?? [];
  if (each !== EACH_PROJECT) return [place];
  const projects = isObject(file[table]) ? Object.keys(file[table]) : [];
  const others = projects.filter((folder) => folder !== place.folder);
  return [
    { ...place, at: [table, place.folder, ...keys] },
    ...others.map((folder) => ({
      ...place,
      folder,
      at: [table, folder, ...keys],
      label: `${place.label} (${folder})`,
    })),
  ];
}

function faultText(path: string, error: unknown): string {
  if (error instanceof SyntaxFault) return `${path}:${error.line}:${error.column}: ${error.message}`;
  if (error instanceof Failure) return error.message;
  throw error;
}
