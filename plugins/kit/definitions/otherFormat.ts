import { basename, resolve } from 'node:path';
import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';

interface OtherFormat {
  /** What its files are called. */
  readonly name: RegExp;
  /** Whether a file of another name is one. */
  readonly holds: (file: JsonObject) => boolean;
  /** What it is and what to type, behind the path. */
  readonly words: (path: string) => string;
}

/** Files of other programs that describe servers in a way that no definition can. */
const OTHERS: readonly OtherFormat[] = [
  {
    name: /smithery\.ya?ml$/i,
    holds: (file) => Object.hasOwn(file, 'startCommand'),
    words: () =>
      'is for Smithery, and describes its server with a function of JavaScript; use: pegboard add <name> -- <command>, with the command that its commandFunction returns',
  },
  {
    name: /compose\.ya?ml$/i,
    holds: (file) => Object.hasOwn(file, 'services'),
    words: (path) =>
      `is for docker compose; use: pegboard add <name> -- docker compose -f ${path} run --rm -T <service>, or the URL of a service that listens`,
  },
  {
    name: /catalog\.ya?ml$/i,
    holds: (file) => Object.hasOwn(file, 'registry') || isObject(file['catalog']),
    words: () =>
      'is a catalogue of Docker; use: pegboard add <name> -- docker run -i --rm <image>, with the image of one of its entries',
  },
  {
    name: /^fastmcp\.json$/i,
    holds: ({ source }) => isObject(source) && (source['entrypoint'] ?? source['path']) !== undefined,
    words: (path) => `is for FastMCP; use: pegboard add <name> -- uvx fastmcp run ${path}`,
  },
];

/** What a file is that holds servers of another program, and what to type instead, as it stands behind its path; undefined if it may be
 *  one with entries. @param file what it holds, if that is known */
export function otherFormat(path: string, file: JsonObject = {}): string | undefined {
  const found = OTHERS.find(({ name, holds }) => name.test(basename(path)) || holds(file));
  return found?.words(resolve(path));
}
