import { existsSync, readFileSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { join, parse as parsePath } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { canonicalJson, isObject, messageOf } from 'pegboard';
import { fillReferences, hideInUrl, hideInWords, isSecret } from 'pegboard/kit';
import type { Env, JsonObject } from 'pegboard';
import { parse, stringify } from 'yaml';
import { Failure } from '../failure.ts';
import type { ClientEntry } from './clientFile.ts';
import { limitsOf, serverOfEntry } from './serverOfEntry.ts';
import type { Server } from './serverOfEntry.ts';

export interface PlannedServer {
  /** Name of its definition. */
  readonly name: string;
  readonly server: Server;
  /** Where it was found; several if clients share it. */
  readonly entries: readonly ClientEntry[];
  readonly definition: { readonly path: string; readonly text: string };
  readonly secrets: readonly { readonly path: string; readonly text: string }[];
  /** Whether a definition of the same server existed before. */
  readonly isPresent: boolean;
  /** Whether it is written switched off: it is in files of the project only. */
  readonly isOff: boolean;
}
export interface ImportPlan {
  readonly servers: readonly PlannedServer[];
  readonly skipped: readonly { readonly entry: ClientEntry; readonly reason: string }[];
}
export interface Surroundings {
  /** The configuration directory. */
  readonly directory: string;
  readonly env: Env;
  /** URL of the gateway: it is not imported into itself. */
  readonly endpoint: string;
}

/** What to write for these entries. Two entries are one server if command and folder or URL, environment and headers are the same; in a project it is the one
 *  that others have without a folder. */
export async function planImport(entries: readonly ClientEntry[], around: Surroundings): Promise<ImportPlan> {
  const { directory, env, endpoint } = around;
  const folder = join(directory, 'mcpservers');
  const existing = await definitionsIn(folder);
  const taken = new Set(existing.map(({ name }) => name.toLowerCase()));
  const servers = new Map<string, PlannedServer>();
  const skipped: { entry: ClientEntry; reason: string }[] = [];
  for (const { name, value } of existing) {
    const server = existingServer(value);
    if (server === undefined) continue;
    const definition = { path: join(folder, `${name}.yaml`), text: '' };
    servers.set(identityOf(server, around), {
      name,
      server,
      definition,
      entries: [],
      secrets: [],
      isPresent: true,
      isOff: false,
    });
  }
  // The user's own first: what is in both is the user's.
  const isOf = (isOfProject: boolean) => entries.filter(({ place }) => place.isOfProject === isOfProject);
  for (const entry of [...isOf(false), ...isOf(true)]) {
    const server = serverOfEntry(entry, env);
    const reason =
      'skipped' in server ? server.skipped : server.url === endpoint ? 'Pegboard itself' : undefined;
    if ('skipped' in server || reason !== undefined) {
      skipped.push({ entry, reason: reason ?? '' });
      continue;
    }
    // What others have without a folder, or an earlier import has written, is the same server.
    const inProject = { ...server, cwd: server.cwd ?? server.projectFolder ?? '' };
    const keys = [server, inProject].map((one) => identityOf(one, around));
    const key = keys.find((one) => servers.has(one)) ?? keys[1] ?? '';
    const known = servers.get(key);
    if (known === undefined)
      servers.set(key, planned(server, entry, { directory, name: freeName(entry.name, taken) }));
    else
      servers.set(key, {
        ...known,
        server: noted(known.server, server, entry),
        entries: [...known.entries, entry],
      });
  }
  return { servers: [...servers.values()].filter((one) => one.entries.length > 0), skipped };
}

/** The server of the first client decides which tools are offered. */
function noted(first: Server, other: Server, { place }: ClientEntry): Server {
  if (isDeepStrictEqual(first.limits, other.limits)) return first;
  const note = `${place.label} offers other tools of it: look at includeTools and excludeTools in the definition`;
  return { ...first, notes: [...first.notes, note] };
}

function planned(
  server: Server,
  entry: ClientEntry,
  { directory, name }: { directory: string; name: string },
): PlannedServer {
  const secrets: { path: string; text: string }[] = [];
  const keep = (value: string, key: string): string => {
    if (!isSecret(key, value)) return value;
    const text = `${value}\n`;
    const file = freeSecret(secrets, {
      directory,
      base: `secrets/${name}.${key.replace(/[^\w.-]/g, '_')}`,
      text,
    });
    return `\${file:${file}}`;
  };
  const kept = (values: Server['env']): Record<string, string> =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, keep(value, key)]));
  const { type, command, cwd = server.projectFolder, url, env, headers, limits } = server;
  const isOff = entry.place.isOfProject;
  const definition = {
    type,
    ...(command !== undefined && { command: keptWords(command, keep) }),
    ...(cwd !== undefined && { cwd }),
    ...(url !== undefined && { url: hideInUrl(url, keep) }),
    ...(Object.keys(env).length > 0 && { env: kept(env) }),
    ...(Object.keys(headers).length > 0 && { headers: kept(headers) }),
    ...limits,
    ...server.times,
    ...(server.description !== undefined && { description: server.description }),
    autoStart: !isOff,
  };
  const text = `# Imported from ${entry.place.label}.\n${stringify(definition, { lineWidth: 0 })}`;
  const path = join(directory, 'mcpservers', `${name}.yaml`);
  return { name, server, entries: [entry], definition: { path, text }, secrets, isPresent: false, isOff };
}

function freeName(given: string, taken: Set<string>): string {
  const plain = given
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^[-_]+|(?<![-_])[-_]+$/g, '')
    .slice(0, 60);
  const base = plain.replace(/(?<![-_])[-_]+$/, '') || 'server';
  let name = base;
  for (let count = 2; taken.has(name.toLowerCase()); count++) name = `${base}-${count}`;
  taken.add(name.toLowerCase());
  return name;
}

/** The words of a command, with what `keep` returns in place of secrets. */
function keptWords(
  words: readonly string[],
  keep: (text: string, name: string) => string,
): readonly string[] {
  const isWhole = (word: string): boolean => !word.includes('://') && isSecret('', word);
  return hideInWords(
    words.map((word) => (isWhole(word) ? keep(word, 'argument') : word)),
    keep,
  );
}

/** A file for a secret. One of this text is used again: it may be left from a definition that was deleted. */
function freeSecret(
  secrets: { readonly path: string; readonly text: string }[],
  { directory, base, text }: { readonly directory: string; readonly base: string; readonly text: string },
): string {
  const isFree = (path: string): boolean => {
    const planned = secrets.find((one) => one.path === path);
    return planned === undefined ? !isOther(path, text) : planned.text === text;
  };
  let file = base;
  for (let count = 2; !isFree(join(directory, file)); count++) file = `${base}-${count}`;
  const path = join(directory, file);
  if (!secrets.some((one) => one.path === path)) secrets.push({ path, text });
  return file;
}

function isOther(path: string, text: string): boolean {
  return existsSync(path) && readFileSync(path, 'utf8') !== text;
}

function identityOf({ type, command, cwd, url, env, headers }: Server, around: Surroundings): string {
  const filled = (values: Server['env']): unknown => {
    const { values: texts, faults } = fillReferences(values, around.directory, around.env);
    return { ...texts, ...Object.fromEntries(faults.map(({ name }) => [name, values[name]])) };
  };
  return canonicalJson({
    type,
    command: filled(Object.fromEntries((command ?? []).map((word, at) => [String(at), word]))),
    cwd: cwd ?? '',
    url: filled({ url: url ?? '' }),
    env: filled(env),
    headers: filled(headers),
  });
}

async function definitionsIn(
  folder: string,
): Promise<readonly { readonly name: string; readonly value: unknown }[]> {
  const files = await readdir(folder).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new Failure(`${folder} cannot be read: ${messageOf(error)}`);
  });
  return Promise.all(
    files
      .filter((file) => /^[^.].*\.ya?ml$/.test(file))
      .map(async (file) => ({
        name: parsePath(file).name,
        value: valueIn(await readFile(join(folder, file), 'utf8')),
      })),
  );
}

/** A definition that cannot be read only takes its name; `pegboard check` reports it. */
function valueIn(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

function existingServer(value: unknown): Server | undefined {
  if (!isObject(value)) return undefined;
  const { type, command, args, cwd, url, env, headers } = value as JsonObject &
    Partial<Server> & { args?: string[] };
  if (type === undefined) return undefined;
  return {
    type,
    ...(type === 'stdio' ? { command: [command ?? [], args ?? []].flat() } : { url: url ?? '' }),
    ...(cwd !== undefined && { cwd }),
    env: env ?? {},
    headers: headers ?? {},
    limits: limitsOf(value),
    times: {},
    notes: [],
  };
}
