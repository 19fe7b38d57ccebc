import { isObject } from 'pegboard';
import type { Gateway } from '../gateway.ts';
import { kindOf } from '../kinds.ts';
import { KIND_NAMES, REPL_COMMANDS, replCommand } from './replCommands.ts';

const KEPT_MS = 30_000;

/** Completes lines of the REPL: commands, kinds, and names and arguments of the catalogue, which is read when
 *  they are first needed and kept for 30 seconds. */
export class Completions {
  readonly #gateway: Gateway;
  #readAt = Date.now();
  readonly #names = new Map<string, Promise<readonly string[]>>();
  readonly #arguments = new Map<string, Promise<readonly string[]>>();

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
  }

  /** @returns whole words that continue the line's last word, and that word */
  async of(line: string): Promise<[string[], string]> {
    if (Date.now() - this.#readAt > KEPT_MS) {
      this.#names.clear();
      this.#arguments.clear();
      this.#readAt = Date.now();
    }
    const words = line.split(/\s+/);
    const last = words.at(-1) ?? '';
    const all = await this.#candidates(words.slice(0, -1), last);
    return [all.filter((word) => word.startsWith(last)).map((word) => `${word} `), last];
  }

  #candidates(before: readonly string[], last: string): Promise<readonly string[]> {
    const [verb, subject] = before.filter((word) => word !== '');
    if (verb === undefined) return Promise.resolve(REPL_COMMANDS.map(({ names }) => names[0] ?? ''));
    const takes = replCommand(verb)?.takes;
    if (takes === undefined) return Promise.resolve([]);
    if (subject === undefined) return takes === 'kind' ? Promise.resolve(KIND_NAMES) : this.#namesOf(takes);
    return replCommand(verb)?.names[0] === 'call' && last.startsWith('-')
      ? this.#argumentsOf(subject)
      : Promise.resolve([]);
  }

  #namesOf(word: string): Promise<readonly string[]> {
    const kind = kindOf(word);
    return kept(this.#names, word, async () => {
      const key = kind.name === 'resource' ? 'uri' : 'name';
      return (await kind.list(this.#gateway)).map((item) => String(item[key]));
    });
  }

  #argumentsOf(tool: string): Promise<readonly string[]> {
    return kept(this.#arguments, tool, async () => {
      const { inputSchema } = await this.#gateway.read('describe_tool', { name: tool });
      const properties = isObject(inputSchema) ? inputSchema['properties'] : undefined;
      return isObject(properties) ? Object.keys(properties).map((name) => `--${name}`) : [];
    });
  }
}

/** Reads once. What cannot be read has no completions, and is read again the next time. */
function kept(
  cache: Map<string, Promise<readonly string[]>>,
  key: string,
  read: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const found = cache.get(key);
  if (found !== undefined) return found;
  const reading = read().catch(() => {
    cache.delete(key);
    return [];
  });
  cache.set(key, reading);
  return reading;
}
