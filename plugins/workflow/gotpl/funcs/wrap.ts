import { byteLength, byteSlice, fromBytes, toBytes } from '../bytes.ts';
import type { Env } from '../env.ts';

/** Cuts a text to a width in bytes, dots included. */
export function abbreviate(text: string, width: number): string {
  return width < 4 ? text : abbreviateFrom(text, 0, width);
}

export function abbreviateBoth(text: string, left: number, right: number): string {
  if (right < 4 || (left > 0 && right < 7)) return text;
  return abbreviateFrom(text, left, right);
}

function abbreviateFrom(text: string, from: number, width: number): string {
  const length = byteLength(text);
  if (width < 4) return '';
  if (length <= width) return text;
  let offset = Math.min(from, length);
  if (length - offset < width - 3) offset = length - (width - 3);
  if (offset <= 4) return `${byteSlice(text, 0, width - 3)}...`;
  if (width < 7) return '';
  if (offset + width - 3 < length)
    return `...${abbreviateFrom(byteSlice(text, offset, length), 0, width - 3)}`;
  return `...${byteSlice(text, length - (width - 3), length)}`;
}

interface WrapSetup {
  readonly width: number;
  readonly newline: string;
  readonly breaksWords: boolean;
}

const SPACE = 0x20;

/** Breaks a line at spaces so that no line is longer than the width in bytes. */
export function wrapText(text: string, { width, newline, breaksWords }: WrapSetup, env: Env): string {
  const bytes = toBytes(text);
  const limit = Math.max(width, 1);
  const lineBreak = toBytes(newline);
  const parts: Uint8Array[] = [];
  let offset = 0;
  let size = bytes.length;
  const writeLine = (end: number, next: number): void => {
    size += lineBreak.length;
    env.checkString(size);
    parts.push(bytes.subarray(offset, end), lineBreak);
    offset = next;
  };
  while (bytes.length - offset > limit) {
    if (bytes[offset] === SPACE) {
      offset++;
      continue;
    }
    const space = bytes.lastIndexOf(SPACE, offset + limit);
    if (space >= offset) {
      writeLine(space, space + 1);
    } else if (breaksWords) {
      writeLine(offset + limit, offset + limit);
    } else {
      const next = bytes.indexOf(SPACE, offset + limit);
      if (next < 0) break;
      writeLine(next, next + 1);
    }
  }
  parts.push(bytes.subarray(offset));
  return fromBytes(Buffer.concat(parts));
}
