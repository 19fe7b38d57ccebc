// Go strings are bytes. Here they are JavaScript strings in which a byte that is not valid UTF-8
// is a lone low surrogate U+DC80..U+DCFF, so that cutting a character in two loses no byte.
import { isUtf8 } from 'node:buffer';

const ESCAPE_BASE = 0xdc00;

// Node 20 has these methods, the ES2023 library does not declare them.
interface WellFormedText {
  isWellFormed(): boolean;
  toWellFormed(): string;
}

export function isWellFormed(text: string): boolean {
  return (text as unknown as WellFormedText).isWellFormed();
}

function toWellFormed(text: string): string {
  return (text as unknown as WellFormedText).toWellFormed();
}

function isEscapedByte(unit: number): boolean {
  return unit >= 0xdc80 && unit <= 0xdcff;
}

export function isEscape(char: string): boolean {
  return char.length === 1 && isEscapedByte(char.charCodeAt(0));
}

export function toBytes(text: string): Buffer {
  if (isWellFormed(text)) return Buffer.from(text, 'utf8');
  const parts: Buffer[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit <= 0xdbff && i + 1 < text.length) {
      const next = text.charCodeAt(i + 1);
      if (next >= 0xdc00 && next <= 0xdfff) {
        i++;
        continue;
      }
    }
    if (!isEscapedByte(unit)) continue;
    parts.push(Buffer.from(text.slice(start, i), 'utf8'), Buffer.of(unit - ESCAPE_BASE));
    start = i + 1;
  }
  parts.push(Buffer.from(text.slice(start), 'utf8'));
  return Buffer.concat(parts);
}

export function fromBytes(bytes: Uint8Array): string {
  if (isUtf8(bytes)) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
  let text = '';
  for (let i = 0; i < bytes.length;) {
    const size = runeSize(bytes, i);
    if (size === 0) {
      text += String.fromCharCode(ESCAPE_BASE + (bytes[i] ?? 0));
      i++;
      continue;
    }
    text += Buffer.from(bytes.subarray(i, i + size)).toString('utf8');
    i += size;
  }
  return text;
}

function runeSize(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  const end = at + size;
  if (first < 0xc2 || first > 0xf4 || end > bytes.length) return 0;
  return isUtf8(bytes.subarray(at, end)) ? size : 0;
}

export function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
}

export function byteLength(text: string): number {
  return isWellFormed(text) ? Buffer.byteLength(text, 'utf8') : toBytes(text).length;
}

export function byteSlice(text: string, start: number, end: number): string {
  if (isAscii(text)) return text.slice(start, end);
  return fromBytes(toBytes(text).subarray(start, end));
}

/** Joins escaped bytes that form a character and replaces the others by U+FFFD, as a UTF-8 decoder does. */
export function toOutput(text: string): string {
  if (isWellFormed(text)) return text;
  return toWellFormed(fromBytes(toBytes(text)));
}

export function runeCount(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    count++;
    const unit = text.charCodeAt(i);
    if (unit < 0xd800 || unit > 0xdbff) continue;
    const next = text.charCodeAt(i + 1);
    if (next >= 0xdc00 && next <= 0xdfff) i++;
  }
  return count;
}

/** Orders as Go does: by UTF-8 bytes, not by UTF-16 units. */
export function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    if (x < 0xd800 && y < 0xd800) return x - y;
    if (!isWellFormed(a) || !isWellFormed(b)) return Buffer.compare(toBytes(a), toBytes(b));
    return rank(x) - rank(y);
  }
  return a.length - b.length;
}

// Surrogates encode code points above every other UTF-16 unit, so they rank highest.
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
