import { existsSync, readFileSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { join, parse as parsePath } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { canonicalJson, isObject, messageOf } from 'pegboard';
import { fillReferences, isSecret } from 'pegboard/kit';
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

/** What to write for these entries. Two entries are one server if command or URL, environment and headers are the same. */
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
    const key = identityOf(server, around);
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
  const kept = (values: Server['env']): Record<string, string> =>
    Object.fromEntries(
      Object.entries(values).map(([key, value]) => {
        if (!isSecret(key, value)) return [key, value];
        const text = `${value}\n`;
        const file = freeSecret(directory, `secrets/${name}.${key.replace(/[^\w.-]/g, '_')}`, text);
        secrets.push({ path: join(directory, file), text });
        return [key, `\${file:${file}}`];
      }),
    );
  const { type, command, url, env, headers, limits } = server;
  const isOff = entry.place.isOfProject;
  const definition = {
    type,
    ...(command !== undefined && { command }),
    ...(url !== undefined && { url }),
    ...(Object.keys(env).length > 0 && { env: kept(env) }),
    ...(Object.keys(headers).length > 0 && { headers: kept(headers) }),
    ...limits,
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

/** A file of this text is used again: it may be left from a definition that was deleted. */
function freeSecret(directory: string, base: string, text: string): string {
  let file = base;
  for (let count = 2; isOther(join(directory, file), text); count++) file = `${base}-${count}`;
  return file;
}

function isOther(path: string, text: string): boolean {
  return existsSync(path) && readFileSync(path, 'utf8') !== text;
}

function identityOf({ type, command, url, env, headers }: Server, around: Surroundings): string {
  const filled = (values: Server['env']): unknown => {
    const { values: texts, faults } = fillReferences(values, around.directory, around.env);
    return faults.length > 0 ? values : texts;
  };
  return canonicalJson({
    type,
    command: command ?? [],
    url: url ?? '',
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
  const { type, command, args, url, env, headers } = value as JsonObject &
    Partial<Server> & { args?: string[] };
  if (type === undefined) return undefined;
  return {
    type,
    ...(type === 'stdio' ? { command: [command ?? [], args ?? []].flat() } : { url: url ?? '' }),
    env: env ?? {},
    headers: headers ?? {},
    limits: limitsOf(value),
    notes: [],
  };
}
