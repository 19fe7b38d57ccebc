import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';

/** The spellings of clients, in lower case without `-`, `_` and blanks. */
const WORDS: Readonly<Record<string, 'stdio' | 'streamable-http' | 'sse'>> = {
  stdio: 'stdio',
  local: 'stdio',
  command: 'stdio',
  builtin: 'stdio',
  http: 'streamable-http',
  https: 'streamable-http',
  streamable: 'streamable-http',
  streamablehttp: 'streamable-http',
  httpstream: 'streamable-http',
  sse: 'sse',
};
/** Words that leave it to the client. */
const OPEN = new Set(['', 'remote', 'auto', 'url']);

export type Transport =
  | { readonly type: 'stdio' | 'streamable-http' | 'sse' }
  /** A word that no client of MCP uses. */
  | { readonly unknown: string }
  | undefined;

/** The transport that an entry names; undefined if it leaves it open. */
export function transportOf(value: JsonObject): Transport {
  for (const key of ['type', 'transport', 'transportType', 'protocol']) {
    const given = value[key];
    const word = isObject(given) ? given['type'] : given;
    if (typeof word !== 'string') continue;
    const plain = word.toLowerCase().replace(/[-_\s]/g, '');
    if (OPEN.has(plain)) continue;
    const type = WORDS[plain];
    return type === undefined ? { unknown: word } : { type };
  }
  return undefined;
}

/** What older servers answer at, as far as their address says. */
export function looksLikeSse(url: string): boolean {
  return /\/sse\/?$/.test(url.split(/[?#]/, 1)[0] ?? '');
}

const OFF: readonly (readonly [key: string, value: boolean])[] = [
  ['disabled', true],
  ['quarantined', true],
  ['enabled', false],
  ['isActive', false],
  ['active', false],
  ['start_on_launch', false],
];

/** Whether its client does not use the entry, in the words of any client. */
export function isSwitchedOff(value: JsonObject): boolean {
  return OFF.some(([key, off]) => {
    const given = value[key];
    const said = typeof given === 'string' ? given.toLowerCase() : given;
    return off
      ? said === true || said === 'true' || said === 1
      : said === false || said === 'false' || said === 0;
  });
}
