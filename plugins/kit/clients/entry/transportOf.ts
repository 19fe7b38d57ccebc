import { isObject } from 'pegboard';
import { flagIn } from './entryFields.ts';
import type { EntryFields } from './entryFields.ts';

export type TransportType = 'stdio' | 'streamable-http' | 'sse' | 'auto';

/** Keys for where a server answers. */
export const URL_KEYS = ['httpUrl', 'url', 'serverUrl', 'server_url', 'uri', 'baseUrl', 'endpoint'];
/** The spellings of clients, in lower case without `-`, `_` and blanks. Those that leave it to the client are `auto`. */
const WORDS: Readonly<Record<string, TransportType>> = {
  stdio: 'stdio',
  local: 'stdio',
  command: 'stdio',
  process: 'stdio',
  streamable: 'streamable-http',
  streamablehttp: 'streamable-http',
  httpstream: 'streamable-http',
  sse: 'sse',
  // Most clients try the older transport, too.
  http: 'auto',
  https: 'auto',
  remote: 'auto',
  auto: 'auto',
  url: 'auto',
};
/** Words of Goose for parts of itself. */
const PARTS = new Set(['builtin', 'platform', 'frontend', 'inlinepython']);

export type Transport = { readonly type: TransportType } | { readonly fault: string } | undefined;

/** The transport that an entry names; undefined if it does not say. */
export function transportOf(fields: EntryFields): Transport {
  const keys = ['type', 'transport', 'transportType', 'transport_type', 'protocol'];
  const words = fields.takeAll(keys, (value) => {
    const word = isObject(value) ? value['type'] : value;
    return typeof word === 'string' ? word : undefined;
  });
  const found = words.map(transportIn);
  return found.find((one) => 'type' in one && one.type !== 'auto') ?? found[0];
}

function transportIn(word: string): Exclude<Transport, undefined> {
  const plain = word.toLowerCase().replace(/[-_\s]/g, '');
  if (PARTS.has(plain)) return { fault: 'a part of its client' };
  const type = Object.hasOwn(WORDS, plain) ? WORDS[plain] : undefined;
  return type === undefined ? { fault: `its transport ${word} is not one of MCP` } : { type };
}

/** Whether its client does not use the entry, in the words of any client. */
export function isSwitchedOff(fields: EntryFields): boolean {
  const [off, on] = [
    ['disabled', 'isDisabled', 'quarantined', 'hidden'],
    ['enabled', 'isEnabled', 'isActive', 'active'],
  ].map((keys) => ({
    // What is not understood may mean that it is off.
    count: keys.filter((key) => fields.has(key)).length,
    said: fields.takeAll(keys, flagIn),
  }));
  const isUnclear = [off, on].some((one) => one !== undefined && one.said.length < one.count);
  return isUnclear || off?.said.includes(true) === true || on?.said.includes(false) === true;
}

/** Whether it starts with its client. */
export function startsByItself(fields: EntryFields): boolean {
  return !fields
    .takeAll(['autoStart', 'auto_start', 'start_on_launch', 'startOnLaunch'], flagIn)
    .includes(false);
}
