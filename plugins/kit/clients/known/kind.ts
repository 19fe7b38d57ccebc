import { join } from 'node:path';
import type { Env, JsonObject } from 'pegboard';

export type Headers = Readonly<Record<string, string>>;
export type PlaceScope = 'user' | 'project' | 'file';
/** How a client spells a gateway at this URL. */
export type Spell = (url: string) => JsonObject;
/** How a client spells headers, beside that; empty for one that starts a process. */
export type Carry = (headers: Headers) => JsonObject;

/** Matches every key of its table; the keys are folders of projects. */
export const EACH_PROJECT = '*';

export interface Base {
  readonly home: string;
  /** Where programs keep their settings: ~/.config, ~/Library/Application Support or %APPDATA%. */
  readonly settings: string;
  readonly config: string;
  readonly cwd: string;
  readonly env: Env;
  readonly platform: NodeJS.Platform;
}
/** A file; one name in the path may have a `*`, for all files that fit. */
export interface KnownFile {
  readonly scope: PlaceScope;
  readonly path: string;
  /** Default: the keys of the client. */
  readonly at?: readonly string[];
  /** Whether others than the user write it, or the client only still reads it: it is imported from, and linking leaves it alone. */
  readonly isReadOnly?: boolean;
}
export interface ClientKind {
  readonly name: string;
  readonly label: string;
  /** The client of which this is one more installation; its name means all. */
  readonly group?: string;
  /** Other words for it, which lead to its name. */
  readonly words?: readonly string[];
  readonly at: readonly string[];
  readonly spell: Spell;
  /** Default: `headers`. */
  readonly carry?: Carry;
  /** What is typed at a shell so that the client's own program adds a gateway, as words. */
  readonly line?: (url: string) => readonly string[];
  readonly note?: string;
  readonly files: (base: Base) => readonly KnownFile[];
}

export const HTTP: Spell = (url) => ({ type: 'http', url });
export const URL_ONLY: Spell = (url) => ({ url });
export const SERVER_URL: Spell = (url) => ({ serverUrl: url });
export const HEADERS: Carry = (headers) => ({ headers });
/** The spelling of clients that start processes only. */
export const BRIDGE: Pick<ClientKind, 'spell' | 'carry'> = {
  spell: (url) => ({ command: 'pegboard', args: ['agent', '--mcp-server', '--endpoint', url] }),
  carry: () => ({}),
};

/** The words of most clients' programs. */
export function mcpAdd(program: string): NonNullable<ClientKind['line']> {
  return (url) => [program, 'mcp', 'add', '--transport', 'http', 'pegboard', url];
}

export function ofUser(...parts: readonly string[]): KnownFile {
  return { scope: 'user', path: join(...parts) };
}
export function ofProject(...parts: readonly string[]): KnownFile {
  return { scope: 'project', path: join(...parts) };
}
export function readOnly(file: KnownFile, at?: readonly string[]): KnownFile {
  return { ...file, isReadOnly: true, ...(at !== undefined && { at }) };
}
