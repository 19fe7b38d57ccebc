import { readFile, readdir } from 'node:fs/promises';
import { join, parse as parsePath } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { canonicalJson, isObject, messageOf } from 'pegboard';
import { fillReferences } from 'pegboard/kit';
import type { Env, JsonObject } from 'pegboard';
import { parse, stringify } from 'yaml';
import { Failure } from '../failure.ts';
import type { ClientEntry } from '../../kit/clients/clientEntry.ts';
import { secretsApart } from '../../kit/definitions/secretsApart.ts';
import type { Apart } from '../../kit/definitions/secretsApart.ts';
import { EntryFields } from '../../kit/clients/entry/entryFields.ts';
import type { LeftBehind } from '../../kit/clients/entry/leftBehind.ts';
import { limitsOf } from '../../kit/clients/entry/limitsOf.ts';
import { serverOfEntry } from '../../kit/clients/entry/serverOfEntry.ts';
import type { Server, Skipped } from '../../kit/clients/entry/serverOfEntry.ts';
import { packageIn } from '../../kit/packages/packageIn.ts';
import { beforeFilesChanged } from './beforeFilesChanged.ts';
import type { Former } from './beforeFilesChanged.ts';
import { FreeNames } from './freeNames.ts';
import { specOf } from '../../kit/clients/specOf.ts';

export interface PlannedServer {
  /** Name of its definition. */
  readonly name: string;
  readonly server: Server;
  /** Where it was found; several if clients share it. */
  readonly entries: readonly ClientEntry[];
  /** What the client of an entry does and the definition does not. */
  readonly left: ReadonlyMap<ClientEntry, readonly LeftBehind[]>;
  readonly definition: Apart['secrets'][number];
  readonly secrets: Apart['secrets'];
  /** Whether a definition of the same server existed before. */
  readonly isPresent: boolean;
  /** What its client has by now and its definition has not. */
  readonly changes?: readonly string[];
  /** Whether it is written switched off: it is in files of the project only. */
  readonly isOff: boolean;
  /** Whether a running gateway starts it once it is written. */
  readonly doesStart: boolean;
}
type Draft = Omit<PlannedServer, 'definition' | 'secrets' | 'doesStart'>;
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
  /** Addresses at which people sign in by OAuth. */
  readonly oauthUrls?: ReadonlySet<string>;
}

/** What to write for these entries. Two entries are one server if command and folder or URL, environment and headers are the same; in a project it is the one
 *  that others have without a folder. */
export async function planImport(entries: readonly ClientEntry[], around: Surroundings): Promise<ImportPlan> {
  const { directory, env, endpoint, oauthUrls } = around;
  const folder = join(directory, 'mcpservers');
  const existing = await definitionsIn(folder);
  const names = new FreeNames(existing.map(({ name, value }) => ({ name, prefix: prefixOf(value) ?? name })));
  const servers = new Map<string, Draft>();
  const skipped: { entry: ClientEntry; reason: string }[] = [];
  const formers: Former[] = [];
  const keep = (server: Server, draft: Draft): void => {
    const key = identityOf(server, around);
    const { name } = draft;
    servers.set(key, draft);
    formers.push({ name, key, identity: identityBut(server, around), env: filledIn(server.env, around) });
  };
  for (const { name, value } of existing) {
    const server = existingServer(value);
    if (server === undefined) continue;
    const none = { entries: [], left: new Map() };
    const draft = { name, server, ...none, isPresent: true, isOff: false };
    keep(server, draft);
    // Its client still has it without a version.
    const command =
      specIn(value)?.['source'] === undefined ? undefined : packageIn(server.command ?? [])?.bare();
    if (command !== undefined) keep({ ...server, command }, draft);
  }
  const read = entries.map((entry) => ({ entry, server: signedIn(serverOfEntry(entry, env), oauthUrls) }));
  // The user's own first, and what is in use: what is in both is the user's, and on.
  const rankOf = ({ entry, server }: (typeof read)[number]): number =>
    (entry.place.isOfProject ? 2 : 0) + ('isOff' in server && server.isOff ? 1 : 0);
  // What another entry is without a change was not written for this one.
  const wanted = new Set(
    read.flatMap(({ server }) =>
      'skipped' in server ? [] : [server, inProjectOf(server)].map((one) => identityOf(one, around)),
    ),
  );
  for (const { entry, server } of read.toSorted((one, other) => rankOf(one) - rankOf(other))) {
    const reason =
      'skipped' in server ? server.skipped : server.url === endpoint ? 'Pegboard itself' : undefined;
    if ('skipped' in server || reason !== undefined) {
      skipped.push({ entry, reason: reason ?? '' });
      continue;
    }
    // What others have without a folder, or an earlier import has written, is the same server.
    const both = [server, inProjectOf(server)];
    const keys = both.map((one) => identityOf(one, around));
    const key = keys.find((one) => servers.has(one));
    const before =
      key === undefined
        ? beforeFilesChanged(entry, server, {
            env: filledIn(server.env, around),
            identities: both.map((one) => identityBut(one, around)),
            formers: formers.filter((one) => !wanted.has(one.key)),
          })
        : undefined;
    const known = servers.get(key ?? before?.key ?? '');
    if (known !== undefined && before !== undefined)
      servers.set(
        before.key,
        joined({ ...known, changes: before.changed }, changedServer(server, before), entry),
      );
    else if (known !== undefined && key !== undefined) servers.set(key, joined(known, server, entry));
    else {
      const { name, notes } = names.nameFor(entry, server);
      servers.set(keys[1] ?? '', {
        name,
        server: { ...server, notes: [...notes, ...server.notes] },
        entries: [entry],
        left: new Map([[entry, server.left]]),
        isPresent: false,
        isOff: entry.place.isOfProject,
      });
    }
  }
  const found = [...servers.values()].filter((one) => one.entries.length > 0);
  return { servers: found.map((one) => planned(one, directory)), skipped };
}

function inProjectOf(server: Server): Server {
  return { ...server, cwd: server.cwd ?? server.projectFolder ?? '' };
}

/** One whose variables would be lost with its entry. */
function changedServer(
  server: Server,
  { name, changed }: { name: string; changed: readonly string[] },
): Server {
  const reason = `${name} has other values of ${changed.join(', ')}`;
  return { ...server, left: [...server.left, { key: 'envFile', reason }] };
}

/** Those that send a token sign in with that. */
function signedIn(server: Server | Skipped, oauthUrls?: ReadonlySet<string>): Server | Skipped {
  if ('skipped' in server || server.auth !== undefined || oauthUrls?.has(server.url ?? '') !== true)
    return server;
  const hasToken = Object.keys(server.headers).some((name) => name.toLowerCase() === 'authorization');
  return hasToken ? server : { ...server, auth: { type: 'oauth' } };
}

/** The same server, found again. What its definition would do otherwise is left behind. */
function joined(known: Draft, server: Server, entry: ClientEntry): Draft {
  const { name, isPresent, server: first } = known;
  const hasOthers = !isDeepStrictEqual(first.limits, server.limits);
  const note = `${entry.place.label} offers other tools of it: look at includeTools and excludeTools in the definition`;
  const { auth = server.auth, description = server.description } = first;
  const times = { ...server.times, ...first.times };
  // Of two transports to one URL, one is a wrong guess.
  const type = first.type === server.type ? first.type : 'auto';
  const left: readonly LeftBehind[] = [
    ...server.left,
    ...(hasOthers ? [{ key: 'includeTools, excludeTools', reason: `${name} has other limits` }] : []),
    ...(server.isOff && !first.isOff ? [{ key: 'disabled', reason: `${name} is on` }] : []),
    // What an operator has written into a definition counts.
    ...(isPresent || isDeepStrictEqual({ ...times, ...server.times }, times)
      ? []
      : [{ key: 'timeout', reason: `${name} has other times` }]),
  ];
  return {
    ...known,
    server: {
      ...first,
      type,
      times,
      ...(auth !== undefined && { auth }),
      ...(description !== undefined && { description }),
      notes: hasOthers ? [...first.notes, note] : first.notes,
    },
    entries: [...known.entries, entry],
    left: new Map(known.left).set(entry, left),
  };
}

function planned({ server, ...draft }: Draft, directory: string): PlannedServer {
  const { name, isPresent, isOff, entries } = draft;
  const path = join(directory, 'mcpservers', `${name}.yaml`);
  if (isPresent) return { ...draft, server, definition: { path, text: '' }, secrets: [], doesStart: false };
  const apart = secretsApart(name, specOf(server), {
    directory,
    // Its client runs it with them.
    awaitsSecrets: false,
    known: server.secrets,
  });
  const autoStart = !isOff && !server.isWaiting;
  const definition = {
    ...apart.spec,
    autoStart,
    ...(server.isOff && { suspended: true }),
  };
  const source = entries[0]?.place.label ?? '';
  const text = `# Imported from ${source}.\n${stringify(definition, { lineWidth: 0 })}`;
  const placeholders = apart.unfilled.map(
    (one) => `${one} represents a value of yours; put it there with: pegboard edit server ${name}`,
  );
  return {
    ...draft,
    server: { ...server, notes: [...server.notes, ...placeholders] },
    definition: { path, text },
    secrets: apart.secrets,
    doesStart: autoStart && !server.isOff,
  };
}

/** The values of references; one that cannot be read stays as it is. */
function filledIn(values: Server['env'], { directory, env }: Surroundings): Server['env'] {
  const { values: texts, faults } = fillReferences(values, directory, env);
  return { ...texts, ...Object.fromEntries(faults.map(({ name }) => [name, values[name] ?? ''])) };
}

/** All that tells a server from others but its variables. */
function identityBut(server: Server, around: Surroundings): string {
  return identityOf({ ...server, env: {} }, around);
}

function identityOf({ type, command, cwd, url, env, headers }: Server, around: Surroundings): string {
  const filled = (values: Server['env']): unknown => filledIn(values, around);
  return canonicalJson({
    isProcess: type === 'stdio',
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

function prefixOf(value: unknown): string | undefined {
  const prefix = specIn(value)?.['toolPrefix'];
  return typeof prefix === 'string' ? prefix : undefined;
}

/** As import writes it, or as `pegboard add` does, with its kind. */
function specIn(value: unknown): JsonObject | undefined {
  const spec = isObject(value) && isObject(value['spec']) ? value['spec'] : value;
  return isObject(spec) ? spec : undefined;
}

function existingServer(value: unknown): Server | undefined {
  const spec = specIn(value);
  if (spec === undefined) return undefined;
  const { type, command, args, cwd, url, env, headers } = spec as JsonObject &
    Partial<Server> & { args?: string[] };
  if (type === undefined) return undefined;
  return {
    type,
    ...(type === 'stdio' ? { command: [command ?? [], args ?? []].flat() } : { url: url ?? '' }),
    ...(cwd !== undefined && { cwd }),
    env: env ?? {},
    headers: headers ?? {},
    secrets: new Set(),
    limits: limitsOf(new EntryFields(spec)),
    times: {},
    isOff: spec['suspended'] === true,
    isWaiting: spec['autoStart'] === false,
    notes: [],
    left: [],
  };
}
