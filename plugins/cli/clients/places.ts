import { dirname, extname, join, resolve } from 'node:path';
import { nearest } from 'pegboard';
import type { Env } from 'pegboard';
import { Failure } from '../failure.ts';
import type { FormatName } from './formats.ts';
import { CLIENTS, EACH_PROJECT, HEADERS, HTTP } from './knownClients.ts';
import type { Carry, PlaceScope, Spell } from './knownClients.ts';

/** A part of a client's file that lists MCP servers by name. */
export interface ClientPlace {
  readonly client: string;
  /** Name of the client for people, with the project's folder for a section of another project than the current one. */
  readonly label: string;
  readonly scope: PlaceScope;
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

export const CLIENT_NAMES: readonly string[] = CLIENTS.map(({ name }) => name);

/** The places of these clients and files; of all known clients when none is named.
 *  @param words names of clients, and paths of files @throws Failure */
export function placesOf(
  words: readonly string[],
  { env, platform, cwd }: Surroundings,
): readonly ClientPlace[] {
  const names = words.filter((word) => !isPath(word));
  const unknown = names.find((name) => !CLIENT_NAMES.includes(name));
  if (unknown !== undefined) throw unknownClient(unknown);
  const files = words.filter(isPath).map((word) => fileAt(resolve(cwd, word)));
  const wanted = CLIENTS.filter(({ name }) => words.length === 0 || names.includes(name));
  if (wanted.length === 0) return files;
  const home = env['HOME'];
  if (home === undefined || home === '')
    throw new Failure('HOME is not set, so the files of clients cannot be found; set it, or name a file');
  const config = env['XDG_CONFIG_HOME'] ?? join(home, '.config');
  const settings = platform === 'darwin' ? join(home, 'Library/Application Support') : config;
  const base = { home, settings, config, cwd, env };
  const all = [
    ...wanted.flatMap(({ name, label, at: own, spell, carry = HEADERS, note, files: paths }) =>
      paths(base).map(([scope, path, at = own]) => ({
        client: name,
        label,
        scope,
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
    ...files,
  ];
  // In the home folder, the file of a project may be that of the user.
  const keyOf = ({ path, at }: ClientPlace): string => JSON.stringify([path, at]);
  return [...new Map([...all].reverse().map((place) => [keyOf(place), place])).values()].reverse();
}

function fileAt(path: string): ClientPlace {
  return {
    client: path,
    label: path,
    scope: 'file',
    isOfProject: false,
    path,
    folder: dirname(path).replace(/\/\.(vscode|cursor|gemini|qwen|github|codex|opencode|zed)$/, ''),
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
  const [close] = nearest(name, CLIENT_NAMES, 1);
  const hint = close === undefined ? '' : `; did you mean ${close}?`;
  return new Failure(
    `${name} is not a known client${hint} Known are ${CLIENT_NAMES.join(', ')}, and paths of files`,
  );
}
