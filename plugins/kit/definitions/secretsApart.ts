import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { isSecretName } from '../secrets/hiding.ts';
import { isPlaceholder } from '../secrets/isPlaceholder.ts';
import { isSecret } from '../secrets/isSecret.ts';
import { hideInUrl, hideInWords } from '../secrets/secretPlaces.ts';
import { placeholdersWithin } from './placeholdersWithin.ts';

/** Shorter ones may be parts of other words. */
const WITHIN_CHARS = 6;

/** A definition whose secrets are in files. */
export interface Apart {
  readonly spec: JsonObject;
  readonly secrets: readonly { readonly path: string; readonly text: string }[];
  /** Files that the user still has to write, because a placeholder was typed. */
  readonly wanted: readonly string[];
  /** Other placeholders in it, such as `YOUR_TENANT`. */
  readonly unfilled: readonly string[];
}

/** Whether values are missing without which the server cannot run. */
export function isUnfilled({ wanted, unfilled }: Apart): boolean {
  return wanted.length > 0 || unfilled.length > 0;
}

export interface How {
  /** The configuration directory. */
  readonly directory: string;
  /** Whether a file is named in place of a placeholder, or the placeholder stays. */
  readonly awaitsSecrets: boolean;
  /** Texts that are secret whatever they look like. */
  readonly known?: ReadonlySet<string>;
}

/** Takes the secrets of a definition apart. */
export function secretsApart(
  name: string,
  spec: JsonObject,
  { directory, awaitsSecrets, known = new Set() }: How,
): Apart {
  const secrets: { path: string; text: string }[] = [];
  const wanted = new Set<string>();
  const isKnown = (text: string): boolean =>
    [...known].some((one) => text === one || (one.length >= WITHIN_CHARS && text.includes(one)));
  const keep = (value: string, key: string): string => {
    const [, scheme = '', bare = value] = /^((?:Bearer|Basic|Token) )(.+)$/s.exec(value) ?? [];
    const base = `secrets/${name}.${key.replaceAll(/[^\w.-]/g, '_')}`;
    if (isPlaceholder(bare, key)) {
      if (!awaitsSecrets || !isSecretName(key)) return value;
      wanted.add(join(directory, base));
      return `${scheme}\${file:${base}}`;
    }
    if (!isSecret(key, value) && !isKnown(value)) return value;
    const text = `${value}\n`;
    const file = freeFile(base, text, { directory, secrets });
    if (!secrets.some(({ path }) => path === join(directory, file)))
      secrets.push({ path: join(directory, file), text });
    return `\${file:${file}}`;
  };
  const { command, url, env, headers } = spec;
  const apart: JsonObject = {
    ...spec,
    ...(Array.isArray(command) && { command: keptWords(command as readonly string[], keep, isKnown) }),
    ...(typeof url === 'string' && { url: hideInUrl(url, keep) }),
    ...(isObject(env) && { env: kept(env, keep) }),
    ...(isObject(headers) && { headers: kept(headers, keep) }),
  };
  return { spec: apart, secrets, wanted: [...wanted], unfilled: placeholdersIn(apart) };
}

type Keep = (text: string, name: string) => string;

function kept(values: JsonObject, keep: Keep): JsonObject {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, keep(String(value), key)]));
}

function keptWords(
  words: readonly string[],
  keep: Keep,
  isKnown: (text: string) => boolean,
): readonly string[] {
  const isWhole = (word: string): boolean => isKnown(word) || (!word.includes('://') && isSecret('', word));
  return hideInWords(
    words.map((word) => (isWhole(word) ? keep(word, 'argument') : word)),
    keep,
  );
}

/** A file that is free, or holds this text: it may be left from a definition that was deleted. */
function freeFile(
  base: string,
  text: string,
  { directory, secrets }: { readonly directory: string; readonly secrets: Apart['secrets'] },
): string {
  for (let count = 1; ; count += 1) {
    const file = count === 1 ? base : `${base}-${count}`;
    const path = join(directory, file);
    const planned = secrets.find((one) => one.path === path)?.text;
    const present = planned ?? (existsSync(path) ? readFileSync(path, 'utf8') : undefined);
    if (present === undefined || present === text) return file;
  }
}

function placeholdersIn({ command, url, env, headers }: JsonObject): readonly string[] {
  const maps = [env, headers].flatMap((map) => (isObject(map) ? Object.values(map) : []));
  return placeholdersWithin([command, url, ...maps].flat().filter((one) => typeof one === 'string'));
}
