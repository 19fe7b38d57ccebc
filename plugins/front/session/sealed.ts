import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { SessionKey } from './loadKeys.ts';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const ID_BYTES = 4;
const HEAD_BYTES = ID_BYTES + IV_BYTES;
const MAX_CHARS = 4_096;

/** What a sealed text is good for; what is sealed for one use opens for no other. */
export type Use = 'session' | 'owner';

/** A JSON value as opaque text: key id, nonce, AES-256-GCM text and tag in base64url (decision D10). */
export function sealed(value: unknown, use: Use, { id, key }: SessionKey): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv);
  cipher.setAAD(boundTo(use, id));
  const text = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
  return Buffer.concat([id, iv, text, cipher.getAuthTag()]).toString('base64url');
}

/** @returns undefined when no key opens it for this use */
export function unsealed(text: string, use: Use, keys: readonly SessionKey[]): unknown {
  if (text.length > MAX_CHARS || !/^[\w-]+$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length <= HEAD_BYTES + TAG_BYTES) return undefined;
  // The decoder ignores spare bits of the last character; one session has one handle.
  if (bytes.toString('base64url') !== text) return undefined;
  const keyId = bytes.subarray(0, ID_BYTES);
  const key = keys.find(({ id }) => id.equals(keyId));
  if (key === undefined) return undefined;
  try {
    const decipher = createDecipheriv(CIPHER, key.key, bytes.subarray(ID_BYTES, HEAD_BYTES));
    decipher.setAAD(boundTo(use, keyId));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    const json =
      decipher.update(bytes.subarray(HEAD_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    return JSON.parse(json);
  } catch {
    // Not ours: a wrong tag is what a forged or damaged handle looks like.
    return undefined;
  }
}

/** What is authenticated beside the text. */
function boundTo(use: Use, keyId: Buffer): Buffer {
  return use === 'session' ? keyId : Buffer.concat([keyId, Buffer.from(use)]);
}
