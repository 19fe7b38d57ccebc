import { Command, isObject } from 'pegboard';
import { isSecret } from 'pegboard/kit';
import type { Invocation, Plugin } from 'pegboard';

type Settings = NonNullable<Awaited<ReturnType<Invocation['plugins']>>['settings']>;

export interface Reason {
  readonly why: string;
  /** Keys of config.yaml and `$NAMES` of environment variables that decide. */
  readonly keys: readonly string[];
}

/** Why a plugin is off: config.yaml says so, or its own rule does, by what that rule reads. */
export function whyOff(plugin: Plugin, settings: Settings, env: Invocation['env']): Reason {
  const key = `plugins.${plugin.name}`;
  if (settings.plugins[plugin.name] === false) return { why: `${key} is false`, keys: [key] };
  const read = readByRule(plugin, settings, env);
  const why = sentences([...read].map(([name, value]) => [name, wordFor(name, value)]));
  const forVerbs = plugin.provides?.some(({ id }) => id === Command.id) === true;
  const otherwise = forVerbs ? 'its verbs run on the command line' : `its rule needs ${key}: true`;
  return { why: why === '' ? otherwise : why, keys: [...read.keys()] };
}

/** Values by their keys, without the sections around them. */
function readByRule(
  plugin: Plugin,
  settings: Settings,
  env: Invocation['env'],
): ReadonlyMap<string, unknown> {
  const read = new Map<string, unknown>();
  plugin.enabled?.(
    watched(settings, (path, value) => read.set(path.join('.'), value)),
    watched(env, ([name = ''], value) => read.set(`$${name}`, value)),
  );
  const isSection = (key: string): boolean => [...read.keys()].some((other) => other.startsWith(`${key}.`));
  return new Map([...read].filter(([key]) => !isSection(key)));
}

/** An object that tells what is read of it. */
function watched<T extends object>(
  value: T,
  tell: (path: readonly string[], value: unknown) => void,
  path: readonly string[] = [],
): T {
  // A proxy must show what is frozen as it is, so it shows a copy.
  return new Proxy(
    { ...value },
    {
      get: (target, key) => {
        const found: unknown = Reflect.get(target, key);
        if (typeof key !== 'string') return found;
        tell([...path, key], found);
        return isObject(found) ? watched(found, tell, [...path, key]) : found;
      },
    },
  );
}

/** `a is true; b, c are not set` */
function sentences(words: readonly (readonly [string, string])[]): string {
  return [...new Set(words.map(([, word]) => word))]
    .map((word) => {
      const names = words.filter(([, one]) => one === word).map(([name]) => name);
      return `${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} ${word}`;
    })
    .join('; ');
}

function wordFor(name: string, value: unknown): string {
  if (value === undefined || value === '') return 'not set';
  if (typeof value === 'boolean' || typeof value === 'number') return String(value);
  const isShown = typeof value === 'string' && !name.startsWith('$') && !isSecret(name, value);
  return isShown ? value : 'set';
}
