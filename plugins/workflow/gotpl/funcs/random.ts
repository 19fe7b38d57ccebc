import type { Env } from '../env.ts';
import { CallError } from '../errors.ts';
import { func } from '../signature.ts';
import type { FuncTable, GoFunc } from '../signature.ts';
import { int } from '../values.ts';

const DIGITS = '0123456789';
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const ASCII = Array.from({ length: 95 }, (_item, i) => String.fromCharCode(32 + i)).join('');

const text = (alphabet: string): GoFunc => func(['int'], (env, count) => randomText(alphabet, count, env));

export const RANDOM: FuncTable = {
  randAlphaNum: text(LETTERS + DIGITS),
  randAlpha: text(LETTERS),
  randNumeric: text(DIGITS),
  randAscii: text(ASCII),
  randInt: func(['int', 'int'], (env, min, max) => {
    if (max <= min) throw new CallError('invalid argument to Intn');
    return int(BigInt(min) + randomBelow(BigInt(max) - BigInt(min), env));
  }),
  randBytes: func(['int'], (env, count) => {
    if (count < 0) throw new CallError('runtime error: makeslice: len out of range');
    env.checkString(count * 2);
    return Buffer.from(randomBytes(count, env)).toString('base64');
  }),
  shuffle: func(['string'], (env, value) => shuffle(value, env)),
  uuidv4: func([], (env) => uuid(env)),
};

export function randomBytes(count: number, env: Env): Uint8Array {
  const bytes = new Uint8Array(count);
  env.settings.random(bytes);
  return bytes;
}

// Values from the largest multiple of `limit` upwards would favour low numbers, so they are drawn again.
function randomBelow(limit: bigint, env: Env): bigint {
  env.charge(1);
  const range = 1n << 64n;
  const fair = range - (range % limit);
  for (let tries = 0; tries < 128; tries++) {
    const value = Buffer.from(randomBytes(8, env)).readBigUInt64BE();
    if (value < fair) return value % limit;
  }
  return 0n;
}

function randomText(alphabet: string, count: number, env: Env): string {
  if (count <= 0) return '';
  env.checkString(count);
  let out = '';
  for (let i = 0; i < count; i++) out += alphabet[Number(randomBelow(BigInt(alphabet.length), env))] ?? '';
  return out;
}

function shuffle(value: string, env: Env): string {
  const chars = Array.from(value);
  for (let i = chars.length - 1; i > 0; i--) {
    const j = Number(randomBelow(BigInt(i + 1), env));
    [chars[i], chars[j]] = [chars[j] ?? '', chars[i] ?? ''];
  }
  return chars.join('');
}

function uuid(env: Env): string {
  const bytes = randomBytes(16, env);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return Buffer.from(bytes)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
