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
  // One UTF-16 unit takes at most three bytes.
  const bytes = Buffer.allocUnsafe(text.length * 3);
  let size = 0;
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
    if (i > start) size += bytes.write(text.slice(start, i), size, 'utf8');
    bytes[size++] = unit - ESCAPE_BASE;
    start = i + 1;
  }
  size += bytes.write(text.slice(start), size, 'utf8');
  return bytes.subarray(0, size);
}

export function fromBytes(bytes: Uint8Array): string {
  if (isUtf8(bytes)) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
  const units = new Uint16Array(bytes.length);
  let count = 0;
  for (let i = 0; i < bytes.length;) {
    const first = bytes[i] ?? 0;
    const size = runeSize(bytes, i);
    if (size <= 1) {
      units[count++] = size === 0 ? ESCAPE_BASE + first : first;
      i++;
      continue;
    }
    let code = first & (0xff >> (size + 1));
    for (let k = 1; k < size; k++) code = (code << 6) | ((bytes[i + k] ?? 0) & 0x3f);
    if (code > 0xffff) {
      units[count++] = 0xd800 + ((code - 0x10000) >> 10);
      units[count++] = 0xdc00 + ((code - 0x10000) & 0x3ff);
    } else units[count++] = code;
    i += size;
  }
  return Buffer.from(units.buffer, 0, count * 2).toString('utf16le');
}

/** Bytes of the character that starts there; 0 if none does. Source: RFC 3629 §4 (the syntax of UTF-8). */
function runeSize(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || at + size > bytes.length) return 0;
  const second = bytes[at + 1] ?? 0;
  const least = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const most = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < least || second > most) return 0;
  for (let k = 2; k < size; k++) if (((bytes[at + k] ?? 0) & 0xc0) !== 0x80) return 0;
  return size;
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
