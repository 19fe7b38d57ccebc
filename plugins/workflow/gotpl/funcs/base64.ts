import { toBytes } from '../bytes.ts';
import { CallError } from '../errors.ts';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
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
  let out = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xffff;
    bits += 8;
    for (; bits >= 5; bits -= 5) out += BASE32[(value >> (bits - 5)) & 31] ?? '';
  }
  if (bits > 0) out += BASE32[(value << (5 - bits)) & 31] ?? '';
  return out.padEnd(Math.ceil(out.length / 8) * 8, '=');
}

/** Go's base32.StdEncoding: newlines are dropped first, padding is required. */
export function decodeBase32(text: string): Uint8Array {
  const input = toBytes(text).filter((byte) => !NEWLINES.has(byte));
  const out: number[] = [];
  for (let start = 0; start < input.length; start += 8) {
    const digits = base32Quantum(input, start);
    const filled = [...digits, 0, 0, 0, 0, 0, 0, 0].slice(0, 8);
    const value = filled.reduce((sum, digit) => sum * 32n + BigInt(digit), 0n);
    const count = Math.floor((digits.length * 5) / 8);
    for (let i = 0; i < count; i++) out.push(Number((value >> BigInt(32 - 8 * i)) & 255n));
    if (digits.length < 8) break;
  }
  return Uint8Array.from(out);
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
    const digit = BASE32.indexOf(String.fromCharCode(byte));
    if (digit < 0) throw corrupt(32, at);
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
