import { toBytes } from '../bytes.ts';
import { CallError } from '../errors.ts';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const BASE32_DIGITS: ReadonlyMap<number, number> = new Map(
  Array.from(BASE32, (char, digit) => [char.charCodeAt(0), digit]),
);
const BASE64: ReadonlySet<number> = new Set(
  toBytes('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'),
);
const NEWLINES = new Set([0x0a, 0x0d]);
const PAD = 0x3d;

function corrupt(base: 32 | 64, at: number): CallError {
  return new CallError(`illegal base${base} data at input byte ${at}`);
}

/** Go's base64.StdEncoding: newlines are skipped, padding is required, spare bits are ignored. */
export function decodeBase64(text: string): Uint8Array {
  const bytes = toBytes(text);
  checkBase64(bytes);
  return Buffer.from(bytes.toString('latin1'), 'base64');
}

function checkBase64(bytes: Uint8Array): void {
  let inQuantum = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (NEWLINES.has(byte)) continue;
    if (byte === PAD) {
      checkBase64End(bytes, at, inQuantum);
      return;
    }
    if (!BASE64.has(byte)) throw corrupt(64, at);
    inQuantum = (inQuantum + 1) % 4;
  }
  if (inQuantum > 0) throw corrupt(64, bytes.length - inQuantum);
}

function checkBase64End(bytes: Uint8Array, padAt: number, inQuantum: number): void {
  if (inQuantum < 2) throw corrupt(64, padAt);
  let at = padAt + 1;
  const skip = (): void => {
    while (NEWLINES.has(bytes[at] ?? 0)) at++;
  };
  if (inQuantum === 2) {
    skip();
    if (at === bytes.length) throw corrupt(64, bytes.length);
    if (bytes[at] !== PAD) throw corrupt(64, at - 1);
    at++;
  }
  skip();
  if (at < bytes.length) throw corrupt(64, at);
}

export function encodeBase32(bytes: Uint8Array): string {
  const out = Buffer.alloc(Math.ceil(bytes.length / 5) * 8, '=');
  let size = 0;
  let bits = 0;
  let value = 0;
  const write = (digit: number): void => void (out[size++] = BASE32.charCodeAt(digit & 31));
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xffff;
    bits += 8;
    for (; bits >= 5; bits -= 5) write(value >> (bits - 5));
  }
  if (bits > 0) write(value << (5 - bits));
  return out.toString('latin1');
}

/** Go's base32.StdEncoding: newlines are dropped first, padding is required. */
export function decodeBase32(text: string): Uint8Array {
  const bytes = toBytes(text);
  const input = bytes.some((byte) => NEWLINES.has(byte))
    ? bytes.filter((byte) => !NEWLINES.has(byte))
    : bytes;
  const out = new Uint8Array(Math.ceil(input.length / 8) * 5);
  let size = 0;
  for (let start = 0; start < input.length; start += 8) {
    const digits = base32Quantum(input, start);
    let value = 0;
    for (const [at, digit] of digits.entries()) {
      value = ((value << 5) | digit) & 0xfff;
      const bits = (at + 1) * 5;
      // A byte is whole with every digit but the 1st, 3rd and 6th.
      if (Math.floor(bits / 8) > Math.floor((bits - 5) / 8)) out[size++] = value >> (bits % 8);
    }
    if (digits.length < 8) break;
  }
  return out.subarray(0, size);
}

function base32Quantum(input: Uint8Array, start: number): number[] {
  const digits: number[] = [];
  for (let i = 0; i < 8; i++) {
    const at = start + i;
    const byte = input[at];
    if (byte === undefined) throw corrupt(32, at - i);
    if (byte === PAD && i >= 2 && input.length - at - 1 < 8) {
      checkBase32End(input, at, i);
      break;
    }
    const digit = BASE32_DIGITS.get(byte);
    if (digit === undefined) throw corrupt(32, at);
    digits.push(digit);
  }
  return digits;
}

function checkBase32End(input: Uint8Array, padAt: number, count: number): void {
  const rest = input.length - padAt - 1;
  if (rest + count < 7) throw corrupt(32, input.length);
  for (let k = 0; k < 7 - count; k++)
    if (rest > k && input[padAt + 1 + k] !== PAD) throw corrupt(32, padAt + k);
  if (count === 3 || count === 6 || count === 1) throw corrupt(32, padAt);
}
