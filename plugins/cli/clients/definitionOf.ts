import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hideInUrl, hideInWords, isSecret } from 'pegboard/kit';
import { stringify } from 'yaml';
import type { Server } from './entry/serverOfEntry.ts';

export interface WrittenText {
  readonly path: string;
  readonly text: string;
}
export interface WrittenDefinition {
  readonly definition: WrittenText;
  /** One file each, to which the definition refers. */
  readonly secrets: readonly WrittenText[];
}
export interface Where {
  /** The configuration directory. */
  readonly directory: string;
  /** The definition's name. */
  readonly name: string;
  /** Said in its first line. */
  readonly source: string;
  /** Whether it waits to be started. */
  readonly isWaiting: boolean;
}
type Keep = (text: string, name: string) => string;

/** The definition of a server, without the secrets that are in it. */
export function definitionOf(
  server: Server,
  { directory, name, source, isWaiting }: Where,
): WrittenDefinition {
  const secrets: WrittenText[] = [];
  const holdsSecret = (text: string): boolean => [...server.secrets].some((one) => text.includes(one));
  const keep: Keep = (value, key) => {
    if (!isSecret(key, value) && !holdsSecret(value)) return value;
    const base = `secrets/${name}.${key.replace(/[^\w.-]/g, '_')}`;
    return `\${file:${freeSecret(secrets, { directory, base, text: `${value}\n` })}}`;
  };
  const kept = (values: Server['env']): Record<string, string> =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, keep(value, key)]));
  const { type, command, cwd = server.projectFolder, url, env, headers, limits, times } = server;
  const definition = {
    type,
    ...(command !== undefined && { command: keptWords(command, keep, holdsSecret) }),
    ...(cwd !== undefined && { cwd }),
    ...(url !== undefined && { url: hideInUrl(url, keep) }),
    ...(Object.keys(env).length > 0 && { env: kept(env) }),
    ...(Object.keys(headers).length > 0 && { headers: kept(headers) }),
    ...(server.auth !== undefined && { auth: server.auth }),
    ...limits,
    ...times,
    ...(server.description !== undefined && { description: server.description }),
    autoStart: !isWaiting && !server.isWaiting,
    ...(server.isOff && { suspended: true }),
  };
  const text = `# Imported from ${source}.\n${stringify(definition, { lineWidth: 0 })}`;
  return { definition: { path: join(directory, 'mcpservers', `${name}.yaml`), text }, secrets };
}

/** The words of a command, with what `keep` returns in place of secrets. */
function keptWords(
  words: readonly string[],
  keep: Keep,
  holdsSecret: (text: string) => boolean,
): readonly string[] {
  const isWhole = (word: string): boolean =>
    holdsSecret(word) || (!word.includes('://') && isSecret('', word));
  return hideInWords(
    words.map((word) => (isWhole(word) ? keep(word, 'argument') : word)),
    keep,
  );
}

/** A file for a secret. One of this text is used again: it may be left from a definition that was deleted. */
function freeSecret(
  secrets: WrittenText[],
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
