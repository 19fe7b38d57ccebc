import { isDeepStrictEqual } from 'node:util';
import { isObject, messageOf } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { Failure } from '../failure.ts';
import { keysOf, namedIn } from './clientFile.ts';
import type { ClientEntry } from '../../kit/clients/clientEntry.ts';
import { FORMATS, SyntaxFault } from '../../kit/clients/formats.ts';
import type { FormatName } from '../../kit/clients/formats.ts';
import { textDigest } from './importRecord.ts';
import type { ImportRecord, LinkStep } from './importRecord.ts';
import type { Headers } from '../../kit/clients/known/clients.ts';
import type { ClientPlace } from '../../kit/clients/places.ts';
import { withBeside } from './withBeside.ts';
import { createPrivate, removeFile, replaceText, textAt } from '../files.ts';

/** One entry to set, or to remove with undefined. */
interface Change {
  readonly at: readonly string[];
  readonly name: string;
  readonly value: JsonObject | undefined;
}
/** What linking does to one file. */
export interface PlannedLink {
  readonly place: ClientPlace;
  /** Undefined: there is no such file. */
  readonly before: string | undefined;
  readonly after: string;
  readonly changes: readonly Change[];
  /** Whether only the user may read it from then on. */
  readonly isPrivate: boolean;
}
interface ToLink {
  readonly places: readonly ClientPlace[];
  readonly texts: ReadonlyMap<string, string>;
  /** Entries that Pegboard offers now. */
  readonly imported: readonly ClientEntry[];
  readonly endpoint: string;
  /** A secret of the user, or empty. */
  readonly headers: Headers;
  /** Clients that are linked even if they have no file yet. */
  readonly named: readonly string[];
}

export interface LinkPlan {
  readonly links: readonly PlannedLink[];
  /** One line for each file that cannot be edited. */
  readonly faults: readonly string[];
}

/** Pegboard in place of the imported entries, per file. A client gets it once: in the user's file if there is one. */
export function planLinks(all: ToLink): LinkPlan {
  const imported = all.imported.filter(({ place }) => !place.isReadOnly);
  const given = { ...all, imported, places: all.places.filter(({ isReadOnly }) => !isReadOnly) };
  const homes = homesOf(given);
  const paths = [...new Set([...homes, ...imported.map((entry) => entry.place)].map(({ path }) => path))];
  const faults: string[] = [];
  const links = paths.flatMap((path): readonly PlannedLink[] => {
    try {
      return linkOf(path, homes, given);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      faults.push(error.message);
      return [];
    }
  });
  return { links, faults };
}

/** @returns nothing if the file needs no change @throws Failure if it cannot be edited without changing something else */
function linkOf(
  path: string,
  homes: readonly ClientPlace[],
  { places, texts, imported, endpoint, headers }: ToLink,
): readonly PlannedLink[] {
  const before = texts.get(path);
  const own = homes.filter((place) => place.path === path);
  const place = own[0] ?? places.find((one) => one.path === path);
  if (place === undefined) return [];
  const { format } = place;
  const file = FORMATS[format].parse(before ?? '');
  if (own.length > 0 && isShutOut(file))
    throw new Failure(`${path} admits other servers only; add pegboard to them, and link again`);
  const hasHeaders = Object.keys(headers).length > 0;
  const valueFor = ({ spell, carry }: ClientPlace): JsonObject => ({
    ...spell(endpoint),
    ...(hasHeaders && carry(headers)),
  });
  const isPrivate = hasHeaders && own.some(({ carry }) => Object.keys(carry(headers)).length > 0);
  const wanted = merged([
    ...imported
      .filter((entry) => entry.place.path === path)
      .map(({ at, name }) => ({ at, name, value: undefined })),
    ...own.map((one) => ({ at: keysOf(one, file), name: 'pegboard', value: valueFor(one) })),
  ]);
  const changes = wanted.filter(({ at, name, value }) => !isSame(valueAt(file, at, name), value));
  if (changes.length === 0) return [];
  return [{ place, before, after: edited(before ?? '', changes, { path, format }), changes, isPrivate }];
}

/** One change for each entry: clients that share a file by a link get one that has the keys of all. */
function merged(changes: readonly Change[]): readonly Change[] {
  const byEntry = new Map<string, Change>();
  for (const change of changes) {
    const key = JSON.stringify([change.at, change.name]);
    const former = byEntry.get(key)?.value;
    const value = change.value && { ...former, ...change.value };
    byEntry.set(key, { ...change, value });
  }
  return [...byEntry.values()];
}

/** Whether Gemini CLI or opencode would not offer Pegboard. */
function isShutOut(file: JsonObject): boolean {
  const shown = withBeside(file, ['mcp'], ['pegboard', {}]);
  return shown['disabled'] === true;
}

/** Writes one file, with a backup beside it. @throws Failure if it has changed since, or cannot be written */
export async function linkFile(
  { place, before, after, changes, isPrivate }: PlannedLink,
  record: ImportRecord,
): Promise<void> {
  const { client, path, format } = place;
  const backup = before === undefined ? undefined : await freeBackup(path);
  const step: LinkStep = {
    kind: 'link',
    client,
    format,
    backup,
    file: { path, digest: textDigest(after) },
    touched: changes.map(({ at, name }) => ({ at, name })),
  };
  if (backup !== undefined) await createPrivate(backup, before ?? '');
  await record.add(step);
  try {
    await replaceText(path, before, after, isPrivate);
  } catch (error) {
    await record.remove(step);
    if (backup !== undefined) await removeFile(backup);
    throw error;
  }
}

/** Brings a file back. @returns what was done, in words @throws Failure; then the step can be tried again */
export async function unlinkFile(step: LinkStep, record: ImportRecord): Promise<string> {
  const { file, format, backup, touched } = step;
  const { path, digest } = file;
  const now = await textAt(path);
  const former = backup === undefined ? undefined : await textAt(backup);
  if (backup !== undefined && former === undefined)
    throw new Failure(`${path}: its backup ${backup} is gone; edit the file by hand`);
  const kept =
    backup === undefined ? '' : `; its backup ${backup} is kept: it may hold secrets, and you may delete it`;
  if (now === undefined) {
    await record.remove(step);
    return `${path} is gone; nothing to bring back${kept}`;
  }
  if (now === former || textDigest(now) === digest) {
    if (former === undefined) await removeFile(path);
    else if (now !== former) await replaceText(path, now, former);
    await record.remove(step);
    if (backup !== undefined) await removeFile(backup);
    return `${path} is as it was`;
  }
  const old = parsed(former ?? '', { path: backup ?? path, format });
  const current = parsed(now, { path, format });
  const changes = touched
    .map(({ at, name }) => ({ at, name, value: valueAt(old, at, name) }))
    // A server that was added again by others stays as they wrote it.
    .filter(
      ({ at, name, value }) => name === 'pegboard' || value === undefined || !valueAt(current, at, name),
    );
  await replaceText(path, now, edited(now, changes, { path, format }));
  await record.remove(step);
  return `${path} has been changed by others: only Pegboard was taken out and the servers put back${kept}`;
}

/** The places that get Pegboard's entry: of each client one that exists, the user's first. A secret goes into no file of a project,
 *  which others read: its client gets a file of the user. */
function homesOf({ places, texts, headers, named }: ToLink): readonly ClientPlace[] {
  const isSecret = Object.keys(headers).length > 0;
  return [...new Set(places.map(({ client }) => client))].flatMap((client) => {
    const own = places.filter((place) => place.client === client);
    const there = own.filter(({ path }) => texts.has(path));
    const existing =
      there.find(({ scope }) => scope === 'user') ??
      there.find(({ isOfProject }) => !isSecret || !isOfProject);
    const home = existing ?? (there.length > 0 || named.includes(client) ? own[0] : undefined);
    return home === undefined ? [] : [home];
  });
}

/** Edits a text and checks by reading it again that nothing else has changed. @throws Failure */
function edited(text: string, changes: readonly Change[], { path, format }: FileFacts): string {
  const { set } = FORMATS[format];
  // Additions first: an emptied list or object would lose its style.
  const ordered = [...changes.filter(({ value }) => value), ...changes.filter(({ value }) => !value)];
  const was = parsed(text, { path, format });
  try {
    const after = ordered.reduce((now, { at, name, value }) => set(now, [...at, name], value), text);
    const is = FORMATS[format].parse(after);
    const isAsWanted = changes.every(({ at, name, value }) => isSame(valueAt(is, at, name), value));
    if (isAsWanted && isSame(without(was, changes), without(is, changes))) return after;
  } catch (error) {
    if (!(error instanceof SyntaxFault))
      throw new Failure(`${path} cannot be edited: ${messageOf(error)}; edit it by hand`);
  }
  throw new Failure(`${path} cannot be edited without changing something else; edit it by hand`);
}
interface FileFacts {
  readonly path: string;
  readonly format: FormatName;
}

function parsed(text: string, { path, format }: FileFacts): JsonObject {
  try {
    return FORMATS[format].parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error;
    throw new Failure(`${path} is not valid ${format}; correct it and run the command again`);
  }
}

function valueAt(file: JsonObject, at: readonly string[], name: string): JsonObject | undefined {
  return namedIn(file, at).find(([one]) => one === name)?.[1];
}

/** The file without the entries that change, and without what they leave empty. */
function without(file: JsonObject, changes: readonly Change[]): unknown {
  return changes.reduce<unknown>((rest, { at, name }) => removed(rest, at, name), file);
}

function removed(value: unknown, [key, ...deeper]: readonly string[], name: string): unknown {
  if (key === undefined && Array.isArray(value)) {
    const left = (value as unknown[]).filter((one) => !isObject(one) || one['name'] !== name);
    return left.length === 0 ? undefined : left;
  }
  if (!isObject(value)) return value ?? undefined;
  const own = key ?? name;
  const inner = key === undefined ? undefined : removed(value[key], deeper, name);
  const left = Object.entries(value).flatMap(([one, old]) =>
    one !== own ? [[one, old]] : inner === undefined ? [] : [[one, inner]],
  );
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

/** Objects of the TOML parser have no prototype, which strict equality would notice. */
function isSame(one: unknown, other: unknown): boolean {
  const plain = (value: unknown): unknown =>
    value === undefined ? undefined : JSON.parse(JSON.stringify(value));
  return isDeepStrictEqual(plain(one), plain(other));
}

async function freeBackup(path: string): Promise<string> {
  const base = `${path}.pegboard-backup`;
  let name = base;
  for (let count = 2; (await textAt(name)) !== undefined; count++) name = `${base}-${count}`;
  return name;
}
