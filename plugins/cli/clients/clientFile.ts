import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { Failure } from '../failure.ts';
import { FORMATS, SyntaxFault } from './formats.ts';
import { EACH_PROJECT } from './knownClients.ts';
import { KEYS } from './places.ts';
import type { ClientPlace } from './places.ts';
import { textAt } from '../files.ts';

/** An entry of a client's file. */
export interface ClientEntry {
  readonly place: ClientPlace;
  readonly at: readonly string[];
  readonly name: string;
  readonly value: JsonObject;
}
export interface FoundEntries {
  readonly entries: readonly ClientEntry[];
  /** Text of each file that was read, by path. */
  readonly texts: ReadonlyMap<string, string>;
  /** One line each, beginning with `path:line:column`. */
  readonly faults: readonly string[];
}

/** Reads the servers of all places. A file that cannot be read is a fault, one that does not exist is not. */
export async function readPlaces(places: readonly ClientPlace[]): Promise<FoundEntries> {
  const texts = new Map<string, string>();
  const faults: string[] = [];
  const entries: ClientEntry[] = [];
  for (const path of new Set(places.map((place) => place.path))) {
    const own = places.filter((place) => place.path === path);
    try {
      const text = await textAt(path);
      if (text === undefined) {
        if (own.some(({ scope }) => scope === 'file')) faults.push(`${path} does not exist`);
        continue;
      }
      const found = own.flatMap((place) => entriesIn(place, FORMATS[place.format].parse(text)));
      texts.set(path, text);
      entries.push(...found);
    } catch (error) {
      faults.push(faultText(path, error));
    }
  }
  return { entries, texts, faults };
}

/** The keys that lead to the servers of a file. */
export function keysOf({ at }: ClientPlace, file: JsonObject): readonly string[] {
  return at ?? [KEYS.find((key) => typeof file[key] === 'object' && file[key] !== null) ?? 'mcpServers'];
}

/** The entries by name; a list has its names within. */
export function namedIn(file: JsonObject, at: readonly string[]): readonly (readonly [string, JsonObject])[] {
  const value = at.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), file);
  const pairs: readonly (readonly [unknown, unknown])[] = Array.isArray(value)
    ? (value as unknown[]).map((one) => [isObject(one) ? one['name'] : undefined, one])
    : Object.entries(isObject(value) ? value : {});
  return pairs.filter(
    (pair): pair is readonly [string, JsonObject] => typeof pair[0] === 'string' && isObject(pair[1]),
  );
}

function entriesIn(place: ClientPlace, file: JsonObject): readonly ClientEntry[] {
  return sectionsOf(place, file).flatMap((section) => {
    const at = keysOf(section, file);
    return namedIn(file, at).map(([name, value]) => ({ place: section, at, name, value }));
  });
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
