import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import type { Edit } from './edited.ts';

const DROPPED = Symbol('dropped');
type Path = Edit['path'];
/** @param isExact whether numbers are what the server wrote, not the nearest that JavaScript has
 *  @returns the part as it must have been meant, DROPPED, or undefined if that is not certain */
type Mend = (part: unknown, isExact: () => boolean) => unknown;

/** What a malformed part of a result can only mean, by its place; the first that knows has it. */
const MENDS: readonly (readonly [RegExp, Mend])[] = [
  [/^(content|contents|messages|completion\/values)$/, (part) => (part === null ? [] : undefined)],
  [/./, (part) => (part === null ? DROPPED : undefined)],
  [/(^|\/)(annotations|icons|_meta|title|description|size|mimeType)(\/|$)/, () => DROPPED],
  [/^completion\/(total|hasMore)$/, () => DROPPED],
  [/^completion\/values$/, (part) => (Array.isArray(part) ? part.slice(0, 100) : undefined)],
  [/^isError$/, (part) => (part === 'true' || part === 'false' ? part === 'true' : undefined)],
  [/^content$/, (part) => (typeof part === 'string' ? [textItem(part)] : alone(part, 'type'))],
  [/^contents$/, (part) => alone(part, 'uri')],
  [
    /^messages\/\d+\/content$/,
    (part) => (Array.isArray(part) && part.length === 1 ? (part[0] as unknown) : undefined),
  ],
  [/^(content\/\d+|messages\/\d+\/content)$/, item],
  [/\/(data|blob)$/, base64],
  [
    /\/(text|values\/\d+)$/,
    (part, isExact) => (/^[nb]/.test(typeof part) && isExact() ? String(part) : undefined),
  ],
];

/** @param path of a part that is malformed, or of an object in which a member is missing */
export function mendOf(path: Path, value: JsonObject, isExact: () => boolean): Edit | undefined {
  const part = path.reduce<unknown>((whole, key) => (whole as JsonObject)[key], value);
  const place = path.join('/');
  for (const [places, mend] of MENDS) {
    const to = places.test(place) ? mend(part, isExact) : undefined;
    if (to === DROPPED) return { path };
    if (to !== undefined) return { path, to };
  }
  return undefined;
}

function textItem(text: string): JsonObject {
  return { type: 'text', text };
}

/** One entry in place of a list. */
function alone(part: unknown, key: string): unknown {
  return isObject(part) && typeof part[key] === 'string' ? [part] : undefined;
}

function item(part: unknown, isExact: () => boolean): unknown {
  if (typeof part === 'string') return textItem(part);
  if (!isObject(part)) return undefined;
  const { type, text, data, mimeType } = part;
  if (type === undefined && typeof text === 'string') return { ...part, type: 'text' };
  // A type of other interfaces to models; in MCP, JSON is text.
  if (type === 'json') return isExact() ? textItem(JSON.stringify(part['json'] ?? part)) : undefined;
  const { mimeType: told } = mimeType === undefined ? dataUrl(data) : {};
  return told === undefined ? undefined : { ...part, mimeType: told };
}

function base64(part: unknown): string | undefined {
  if (typeof part !== 'string') return undefined;
  const { data } = dataUrl(part);
  if (data !== undefined) return data;
  return /^[\w-]+=*$/.test(part) ? part.replaceAll('-', '+').replaceAll('_', '/') : undefined;
}

/** Source: RFC 2397. */
function dataUrl(text: unknown): { readonly mimeType?: string; readonly data?: string } {
  if (typeof text !== 'string' || !text.startsWith('data:')) return {};
  const at = text.indexOf(',');
  const [mimeType = '', ...parameters] = text.slice('data:'.length, Math.max(at, 0)).split(';');
  return parameters.at(-1) === 'base64' && mimeType !== '' ? { mimeType, data: text.slice(at + 1) } : {};
}
