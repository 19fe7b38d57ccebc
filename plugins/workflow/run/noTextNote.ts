import { isObject, plainText } from 'pegboard';
import type { JsonObject } from 'pegboard';

const MAX_KINDS = 5;
const MAX_WORD_CHARS = 60;
const NOUNS = ['image', 'recording', 'resource', 'resource link'];

/** What a result without text holds: `result holds 2 images (image/png, 3.2 KB) and no text`. Undefined if it holds nothing. */
export function noTextNote(content: readonly unknown[]): string | undefined {
  const found = new Map<string, { count: number; bytes: number; noun: string; mimeType: string }>();
  for (const item of content) {
    if (!isObject(item)) continue;
    const [noun, mimeType] = [nounOf(item['type']), word(partOf(item)['mimeType'])];
    const kind = found.get(`${noun} ${mimeType}`) ?? { count: 0, bytes: 0, noun, mimeType };
    kind.count += 1;
    kind.bytes += bytesOf(partOf(item));
    found.set(`${noun} ${mimeType}`, kind);
  }
  if (found.size === 0) return undefined;
  const kinds = [...found.values()].slice(0, MAX_KINDS).map(({ count, bytes, noun, mimeType }) => {
    const facts = [mimeType, ...(bytes === 0 ? [] : [sizeText(bytes)])].filter((fact) => fact !== '');
    const of = facts.length === 0 ? '' : ` (${facts.join(', ')})`;
    return `${count} ${noun}${count === 1 ? '' : 's'}${of}`;
  });
  return `result holds ${kinds.join(', ')} and no text`;
}

function nounOf(type: unknown): string {
  const name = word(type).replace('audio', 'recording').replace('_', ' ');
  return NOUNS.includes(name) ? name : `${word(type)} item`.trimStart();
}

/** An embedded resource has its type and content in a member. */
function partOf(item: JsonObject): JsonObject {
  return isObject(item['resource']) ? item['resource'] : item;
}

function bytesOf({ data, blob, text, size }: JsonObject): number {
  const base64 = data ?? blob;
  if (typeof base64 === 'string') return Buffer.byteLength(base64, 'base64');
  if (typeof text === 'string') return Buffer.byteLength(text);
  return typeof size === 'number' && size > 0 ? size : 0;
}

function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1e6 ? `${(bytes / 1000).toFixed(1)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** What a server has written, for a message. */
function word(given: unknown): string {
  return typeof given === 'string' ? plainText(given.slice(0, MAX_WORD_CHARS)) : '';
}
