import { createHash } from 'node:crypto';
import { fromBytes, toBytes } from '../bytes.ts';
import { CallError } from '../errors.ts';
import { func } from '../signature.ts';
import type { FuncTable, GoFunc } from '../signature.ts';
import { decodeBase32, decodeBase64, encodeBase32 } from './base64.ts';

const hash = (algorithm: string): GoFunc =>
  func(['string'], (_env, text) => createHash(algorithm).update(toBytes(text)).digest('hex'));
const decoder = (decode: (text: string) => Uint8Array): GoFunc =>
  func(['string'], (_env, text) => textOrMessage(() => fromBytes(decode(text))));

export const ENCODING: FuncTable = {
  b64enc: func(['string'], (env, text) => {
    env.checkString(text.length + (text.length >> 1));
    return toBytes(text).toString('base64');
  }),
  b64dec: decoder(decodeBase64),
  b32enc: func(['string'], (env, text) => {
    env.checkString(text.length * 2);
    return encodeBase32(toBytes(text));
  }),
  b32dec: decoder(decodeBase32),
  sha1sum: hash('sha1'),
  sha256sum: hash('sha256'),
  sha512sum: hash('sha512'),
  adler32sum: func(['string'], (_env, text) => String(adler32(toBytes(text)))),
};

// sprig returns the decoder's error message as the result.
function textOrMessage(decode: () => string): string {
  try {
    return decode();
  } catch (cause) {
    if (cause instanceof CallError) return cause.message;
    throw cause;
  }
}

const ADLER_MODULUS = 65_521;

function adler32(bytes: Uint8Array): number {
  let low = 1;
  let high = 0;
  for (const byte of bytes) {
    low = (low + byte) % ADLER_MODULUS;
    high = (high + low) % ADLER_MODULUS;
  }
  return high * 65_536 + low;
}
