import { existsSync } from 'node:fs';
import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';

/** What only a shell understands: lists of commands, pipes, redirections and its own words. */
const FOR_A_SHELL = /&&|\|\||[;|<>`]|\$\(|^(cd|export|source|\.|[A-Za-z_]\w*=\S*)\s/;
const IN_QUOTES = /"((?:[^"\\]|\\.)*)"|'([^']*)'|((?:[^\s"'\\]|\\.)+)/g;
const CONTAINERS = /^(?:.*\/)?(docker|podman)$/;

/** The words of an entry's command, or why they cannot be taken over; undefined if it has none. */
export type Command =
  { readonly words: readonly string[]; readonly note?: string } | { readonly fault: string };

/** A text, a list, or Zed's former `{path, args, env}`. A whole command line in one text is split as a shell splits it. */
export function commandOf(value: JsonObject): Command | undefined {
  const given = value['command'] ?? value['cmd'];
  const { path, args = value['args'] } = isObject(given) ? given : {};
  const head = isObject(given) ? path : given;
  const words = [...(Array.isArray(head) ? (head as unknown[]) : [head]), ...listIn(args)].map(textIn);
  const [program = ''] = words;
  if (program === '') return undefined;
  if (words.includes(undefined))
    return { fault: 'its arguments hold a list or an object, which no command line can' };
  const texts = words.filter((word) => word !== undefined);
  return texts.length === 1 && /\s/.test(program) && !existsSync(program) ? split(program) : { words: texts };
}

function split(line: string): Command {
  const text = line.trim();
  if (FOR_A_SHELL.test(text))
    return { words: ['sh', '-c', text], note: 'its command is one for a shell, so sh runs it' };
  const words = [...text.matchAll(IN_QUOTES)].map(
    ([, double, single, bare]) => single ?? (double ?? bare ?? '').replace(/\\(.)/g, '$1'),
  );
  return { words };
}

/** Variables that a container takes from the environment of its client: `-e NAME` without a value. */
export function passedOn([program = '', ...words]: readonly string[]): readonly string[] {
  if (!CONTAINERS.test(program)) return [];
  return words.filter((word, at) => {
    const [flag = ''] = words.slice(at - 1, at);
    return (flag === '-e' || flag === '--env') && /^[A-Za-z_]\w*$/.test(word);
  });
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

/** YAML and people write ports and switches without quotes. */
function textIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}
