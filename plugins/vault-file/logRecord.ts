import { SEAL_BYTES, sealBytes, unsealBytes } from '../kit/secrets/seal.ts';
import { STATE_FORMAT } from '../kit/vault/stateFormat.ts';
import type { KeyRing } from '../contracts/vault.ts';

/** The content of one record. */
export type LogChange =
  | { readonly op: 'set'; readonly key: string; readonly value: Buffer; readonly expiresAt: number }
  | { readonly op: 'delete'; readonly key: string };

export interface Opened {
  readonly change: LogChange;
  /** Whether the key that sealed it is no longer the first. */
  readonly isOldKey: boolean;
}

export const MARK = Buffer.from('PBr1');
const FILE_MARK = Buffer.from(`PEGVLT${STATE_FORMAT}\n`);
/** Also that of other versions; the digit is the format. */
const ANY_FILE_MARK = /^PEGVLT([1-9])\n/;
/** Mark, key id, length of the sealed text. */
export const HEAD_BYTES = 12;
export const OVERHEAD_BYTES = HEAD_BYTES + SEAL_BYTES;
export const FILE_HEAD_BYTES = FILE_MARK.length + 4 + SEAL_BYTES;
/** op, expiresAt, length of the key. */
const FIXED_BYTES = 1 + 8 + 2;
const OPS = { set: 1, delete: 2 } as const;

/** @returns the bytes of a change before they are sealed */
export function encode(change: LogChange): Buffer {
  // As JSON, because UTF-8 would map keys with lone surrogates to the same bytes.
  const key = Buffer.from(JSON.stringify(change.key));
  const fixed = Buffer.alloc(FIXED_BYTES);
  fixed.writeUInt8(OPS[change.op], 0);
  fixed.writeDoubleBE(change.op === 'set' ? change.expiresAt : Infinity, 1);
  fixed.writeUInt16BE(key.length, 9);
  return Buffer.concat(change.op === 'set' ? [fixed, key, change.value] : [fixed, key]);
}

/** Seals with the first key. @param offset place of the record in the file; it opens at no other */
export function sealRecord([key]: KeyRing, offset: number, plain: Buffer): Buffer {
  const head = Buffer.concat([MARK, key.id, Buffer.alloc(4)]);
  head.writeUInt32BE(plain.length, 8);
  return Buffer.concat([head, sealBytes(key, authenticated(offset, head), plain)]);
}

/** @returns bytes of the whole record that begins with `head`; undefined if no record begins there */
export function recordBytes(head: Buffer): number | undefined {
  if (head.length < HEAD_BYTES || !head.subarray(0, 4).equals(MARK)) return undefined;
  return OVERHEAD_BYTES + head.readUInt32BE(8);
}

/** @param bytes exactly one record @returns undefined if it does not open */
export function open(ring: KeyRing, offset: number, bytes: Buffer): Opened | undefined {
  const head = bytes.subarray(0, HEAD_BYTES);
  const id = head.subarray(4, 8);
  const key = ring.find((one) => one.id.equals(id));
  if (key === undefined) return undefined;
  const plain = unsealBytes(key, authenticated(offset, head), bytes.subarray(HEAD_BYTES));
  return plain === undefined ? undefined : { change: decode(plain), isOldKey: key !== ring[0] };
}

/** The first bytes of a file; they prove the key, so that a wrong key is not mistaken for damage. */
export function fileHead([key]: KeyRing): Buffer {
  const mark = Buffer.concat([FILE_MARK, key.id]);
  return Buffer.concat([mark, sealBytes(key, mark, Buffer.alloc(0))]);
}

/** @returns the format of a file that begins so; undefined if these keys have not sealed it, or it is damaged */
export function formatIn(ring: KeyRing, bytes: Buffer): number | undefined {
  const mark = bytes.subarray(0, FILE_MARK.length + 4);
  const [, format] = ANY_FILE_MARK.exec(mark.toString('latin1')) ?? [];
  const key = ring.find(({ id }) => id.equals(mark.subarray(FILE_MARK.length)));
  if (key === undefined || format === undefined) return undefined;
  return unsealBytes(key, mark, bytes.subarray(mark.length)) && Number(format);
}

function decode(plain: Buffer): LogChange {
  const keyEnd = FIXED_BYTES + plain.readUInt16BE(9);
  const key = JSON.parse(plain.toString('utf8', FIXED_BYTES, keyEnd)) as string;
  if (plain.readUInt8(0) === OPS.delete) return { op: 'delete', key };
  return { op: 'set', key, value: plain.subarray(keyEnd), expiresAt: plain.readDoubleBE(1) };
}

function authenticated(offset: number, head: Buffer): Buffer {
  const place = Buffer.alloc(8);
  place.writeBigUInt64BE(BigInt(offset));
  return Buffer.concat([place, head]);
}
