import { readdirSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { nearest } from 'pegboard';
import type { Env } from 'pegboard';
import { keptUnlessSecret } from '../secrets/isSecret.ts';
import { hideInUrl } from '../secrets/secretPlaces.ts';
import { Failure } from '../text/failure.ts';
import type { FormatName } from './formats.ts';
import { CLIENTS, EACH_PROJECT, HEADERS, HTTP } from './known/clients.ts';
import type { Carry, ClientKind, PlaceScope, Spell } from './known/clients.ts';

/** A part of a client's file that lists MCP servers by name. */
export interface ClientPlace {
  readonly client: string;
  /** Name of the client for people, with the project's folder for a section of another project than the current one. */
  readonly label: string;
  readonly scope: PlaceScope;
  /** Whether its file was named. */
  readonly isNamed: boolean;
  /** Whether linking leaves it alone. */
  readonly isReadOnly: boolean;
  /** Whether it came with the current project, so that others may have written it. */
  readonly isOfProject: boolean;
  /** Absolute. */
  readonly path: string;
  /** Where relative paths in it begin: its project. */
  readonly folder: string;
  readonly format: FormatName;
  /** Keys that lead to the servers; undefined: the tables that the file has. EACH_PROJECT matches every key. */
  readonly at: readonly string[] | undefined;
  readonly spell: Spell;
  readonly carry: Carry;
  /** What the client needs beside its entry. */
  readonly note?: string | undefined;
}

interface Surroundings {
  readonly env: Env;
  readonly platform: NodeJS.Platform;
  readonly cwd: string;
}

/** Folders in which clients keep files of a project. */
const FOLDERS_OF_CLIENTS = [
  ...['vscode', 'cursor', 'gemini', 'qwen', 'github', 'codex', 'opencode', 'zed', 'roo', 'kilo', 'kilocode'],
  ...[
    'amazonq',
    'amazonq/agents',
    'amazonq/cli-agents',
    'junie/mcp',
    'ai/mcp',
    'kiro/settings',
    'kiro/agents',
  ],
  ...[
    'factory',
    'amp',
    'vs',
    'devin',
    'warp',
    'trae',
    'windsurf',
    'continue',
    'continue/mcpServers',
    'claude',
  ],
  ...['agents', 'claude-plugin', 'gemini/antigravity', 'gemini/config'],
];

/** The names to choose from. Each means all installations of its client. */
export const CLIENT_NAMES: readonly string[] = CLIENTS.filter(({ group }) => group === undefined).map(
  ({ name }) => name,
);

/** Whether a word names a client, or all installations of it. */
export function isNamedBy(client: string, word: string): boolean {
  return CLIENTS.some(({ name, group }) => name === client && (name === word || group === word));
}

/** The places of these clients and files; of all known clients when none is named.
 *  @param words names of clients, and paths of files @throws Failure */
export function placesOf(words: readonly string[], around: Surroundings): readonly ClientPlace[] {
  const { cwd } = around;
  const address = words.find((word) => /^https?:/i.test(word));
  if (address !== undefined) throw addressGiven(address);
  const names = words.filter((word) => !isPath(word));
  const unknown = names.find((name) => !CLIENTS.some((kind) => isNamedBy(kind.name, name)));
  if (unknown !== undefined) throw unknownClient(unknown);
  const paths = words.filter(isPath).map((word) =>
    resolve(
      cwd,
      word.replace(/^~(?=\/)/, () => homeOf(around)),
    ),
  );
  const wanted = CLIENTS.filter(
    ({ name }) => words.length === 0 || names.some((word) => isNamedBy(name, word)),
  );
  const all = [...(wanted.length === 0 ? [] : knownPlaces(wanted, around)), ...placesAt(paths, around)];
  // In the home folder, the file of a project may be that of the user.
  const keyOf = ({ path, at }: ClientPlace): string => JSON.stringify([path, at]);
  return [...new Map([...all].reverse().map((place) => [keyOf(place), place])).values()].reverse();
}

/** @throws Failure without a home */
function knownPlaces(kinds: readonly ClientKind[], around: Surroundings): readonly ClientPlace[] {
  const { env, platform, cwd } = around;
  const home = homeOf(around);
  const config = env['XDG_CONFIG_HOME'] ?? join(home, '.config');
  const settings =
    platform === 'darwin'
      ? join(home, 'Library/Application Support')
      : platform === 'win32'
        ? (env['APPDATA'] ?? join(home, 'AppData/Roaming'))
        : config;
  const base = { home, settings, config, cwd, env, platform };
  return kinds.flatMap(({ name, label, at: own, spell, carry = HEADERS, note, files: known }) =>
    known(base).flatMap(({ scope, path: pattern, at = own, isReadOnly = false }) =>
      filesAt(pattern).map((path) => ({
        client: name,
        label,
        scope,
        isNamed: false,
        isReadOnly,
        path,
        at,
        spell,
        carry,
        note,
        // What Claude Code keeps for each project is in the user's own file.
        isOfProject: scope === 'project' && at[1] !== EACH_PROJECT,
        folder: scope === 'project' ? cwd : dirname(path),
        format: formatOf(path),
      })),
    ),
  );
}

/** The places of files that were named: those of its client for one that is the user's own. */
function placesAt(paths: readonly string[], around: Surroundings): readonly ClientPlace[] {
  const hasHome = (around.env['HOME'] ?? around.env['USERPROFILE'] ?? '') !== '';
  const all = hasHome && paths.length > 0 ? knownPlaces(CLIENTS, around) : [];
  return paths.flatMap((path) => {
    const known = all.filter((place) => place.path === path);
    const isOfUser = known.some(({ scope }) => scope === 'user');
    return isOfUser ? known.map((place) => ({ ...place, isNamed: true })) : [fileAt(path)];
  });
}

/** @throws Failure */
function homeOf({ env, platform }: Surroundings): string {
  const home = platform === 'win32' ? (env['USERPROFILE'] ?? env['HOME']) : env['HOME'];
  if (home === undefined || home === '')
    throw new Failure('HOME is not set, so the files of clients cannot be found; set it, or name a file');
  return home;
}

/** The files that fit a path in which one name has a `*`. */
function filesAt(pattern: string): readonly string[] {
  const names = pattern.split('/');
  const at = names.findIndex((name) => name.includes('*'));
  if (at < 0) return [pattern];
  const [start = '', end = ''] = (names[at] ?? '').split('*');
  const folder = names.slice(0, at).join('/');
  return namesIn(folder)
    .filter((name) => name.startsWith(start) && name.endsWith(end) && !name.startsWith('.'))
    .map((name) => join(folder, name, ...names.slice(at + 1)));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** A file that is not known to be a client's. @param path absolute */
export function fileAt(path: string): ClientPlace {
  const folder = dirname(path);
  const inside = FOLDERS_OF_CLIENTS.find((name) => folder.endsWith(`/.${name}`));
  return {
    client: path,
    label: path,
    scope: 'file',
    isNamed: true,
    isReadOnly: false,
    isOfProject: false,
    path,
    folder: inside === undefined ? folder : folder.slice(0, -inside.length - 2) || '/',
    format: formatOf(path),
    at: undefined,
    spell: HTTP,
    carry: HEADERS,
  };
}

function formatOf(path: string): FormatName {
  const ending = extname(path).toLowerCase();
  if (ending === '.toml') return 'toml';
  return ending === '.yaml' || ending === '.yml' ? 'yaml' : 'json';
}

function isPath(word: string): boolean {
  return word.includes('/') || /\.(jsonc?|toml|ya?ml)$/i.test(word);
}

function unknownClient(name: string): Failure {
  const plain = name.toLowerCase();
  const meant = CLIENTS.filter(({ words }) => words?.includes(plain) === true).map((kind) => kind.name);
  const close = meant.length > 0 ? meant : nearest(plain, CLIENT_NAMES, 1);
  const hint = close.length === 0 ? '' : `; did you mean ${close.join(' or ')}?`;
  const known = `nown are ${CLIENT_NAMES.join(', ')}, and paths of files`;
  return new Failure(`${name} is not a known client${hint === '' ? `; k${known}` : `${hint} K${known}`}`);
}

function addressGiven(address: string): Failure {
  const [, ending] = /\.(json|jsonc|toml|ya?ml)(?=$|[?#])/i.exec(address) ?? [];
  const shown = hideInUrl(address, keptUnlessSecret);
  if (shown !== address)
    return new Failure(
      `${shown} is an address, and import reads files; add a server with: pegboard add <name> <url>`,
    );
  const word = /^[\w:/.@%+=-]+$/.test(address) ? address : `'${address.replaceAll("'", '%27')}'`;
  const next =
    ending === undefined
      ? `add a server with: pegboard add <name> ${word}`
      : `fetch it: curl -fsSL ${word} -o mcp.${ending} && pegboard import ./mcp.${ending}`;
  return new Failure(`${address} is an address, and import reads files; ${next}`);
}
