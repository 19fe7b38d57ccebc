import { fromBytes, isEscape, toBytes } from './bytes.ts';
import { isPrintable } from './unicode.ts';

const HTML_BY_CHAR = new Map([
  ['\0', '\ufffd'],
  ['"', '&#34;'],
  ["'", '&#39;'],
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
]);

export function escapeHtml(text: string): string {
  return text.replace(/[\0"'&<>]/g, (char) => HTML_BY_CHAR.get(char) ?? char);
}

const JS_BY_CHAR = new Map([
  ['\\', '\\\\'],
  ["'", "\\'"],
  ['"', '\\"'],
]);

export function escapeJs(text: string): string {
  return text.replace(/['"\\<>&=]|[^\x20-\x7f]/gu, escapeJsChar);
}

function escapeJsChar(char: string): string {
  const short = JS_BY_CHAR.get(char);
  if (short !== undefined) return short;
  const code = isEscape(char) ? 0xfffd : (char.codePointAt(0) ?? 0);
  const isSpecial =
    code < 0x20 || '<>&='.includes(char) || (code > 0x7f && !isPrintable(String.fromCodePoint(code)));
  return isSpecial ? `\\u${code.toString(16).toUpperCase().padStart(4, '0')}` : char;
}

/** What each byte becomes. */
type ByteTexts = readonly Buffer[];

/** Percent-encodes bytes other than those of the characters that match `keep`. */
export function percentTexts(keep: RegExp): ByteTexts {
  return Array.from({ length: 256 }, (_, byte) => {
    const char = String.fromCharCode(byte);
    if (byte < 0x80 && keep.test(char)) return Buffer.from(char);
    return Buffer.from(`%${byte.toString(16).toUpperCase().padStart(2, '0')}`);
  });
}

const QUERY = percentTexts(/[A-Za-z0-9\-_.~]/).map((text, byte) => (byte === 0x20 ? Buffer.from('+') : text));

export function escapePercent(text: string, texts: ByteTexts): string {
  const bytes = toBytes(text);
  const out = Buffer.allocUnsafe(bytes.length * 3);
  let size = 0;
  for (const byte of bytes) for (const made of texts[byte] ?? []) out[size++] = made;
  return out.toString('latin1', 0, size);
}

export function escapeQuery(text: string): string {
  return escapePercent(text, QUERY);
}

/** Decodes percent-encoding; `bad` is the first sequence that cannot be decoded. */
export function unescapePercent(text: string): { readonly text: string } | { readonly bad: string } {
  if (!text.includes('%')) return { text };
  const bad = /%(?![0-9a-fA-F]{2}).{0,2}/su.exec(text);
  if (bad) return { bad: bad[0] };
  const bytes: Uint8Array[] = [];
  for (const part of text.split(/(%[0-9a-fA-F]{2})/)) {
    bytes.push(/^%..$/.test(part) ? Buffer.from(part.slice(1), 'hex') : toBytes(part));
  }
  return { text: fromBytes(Buffer.concat(bytes)) };
}
