import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { SealKey } from '../../contracts/vault.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Number of bytes by which sealed data is longer than plain data. */
export const SEAL_BYTES = NONCE_BYTES + TAG_BYTES;

/** Encrypts and authenticates. @param context additional data, not stored in the result: the same is needed to open it
 *  @returns nonce, AES-256-GCM text and tag */
export function sealBytes({ key }: Pick<SealKey, 'key'>, context: Buffer, plain: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(context);
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** @returns undefined if this key has not sealed these bytes in this context */
export function unsealBytes(
  { key }: Pick<SealKey, 'key'>,
  context: Buffer,
  sealed: Buffer,
): Buffer | undefined {
  if (sealed.length < SEAL_BYTES) return undefined;
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(context).setAuthTag(sealed.subarray(-TAG_BYTES));
  const plain = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
  try {
    decipher.final();
    return plain;
  } catch {
    // A wrong tag: the bytes are forged or damaged.
    return undefined;
  }
}
