import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { JsonObject } from 'pegboard';
import type { Session } from '../contract.ts';
import type { SessionKey } from './loadKeys.ts';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const ID_BYTES = 4;
const HEAD_BYTES = ID_BYTES + IV_BYTES;
const MAX_HANDLE_CHARS = 4_096;

type SessionFacts = Omit<Session, 'handle'>;
interface Sealed {
  readonly i: string;
  readonly r: string;
  readonly s?: string;
  readonly c: JsonObject;
  readonly t: number;
}

/** A session as an opaque handle: key id, nonce, AES-256-GCM text and tag in base64url (decision D10). */
export function seal(
  { id, revision, subject, capabilities, createdAt }: SessionFacts,
  { id: keyId, key }: SessionKey,
): string {
  const sealed: Sealed = {
    i: id,
    r: revision,
    c: capabilities,
    t: createdAt,
    ...(subject === undefined ? {} : { s: subject }),
  };
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv);
  cipher.setAAD(keyId);
  const text = Buffer.concat([cipher.update(JSON.stringify(sealed), 'utf8'), cipher.final()]);
  return Buffer.concat([keyId, iv, text, cipher.getAuthTag()]).toString('base64url');
}

/** @returns undefined when no key opens it */
export function unseal(handle: string, keys: readonly SessionKey[]): Session | undefined {
  if (handle.length > MAX_HANDLE_CHARS || !/^[\w-]+$/.test(handle)) return undefined;
  const bytes = Buffer.from(handle, 'base64url');
  if (bytes.length <= HEAD_BYTES + TAG_BYTES) return undefined;
  // The decoder ignores spare bits of the last character; one session has one handle.
  if (bytes.toString('base64url') !== handle) return undefined;
  const keyId = bytes.subarray(0, ID_BYTES);
  const key = keys.find(({ id }) => id.equals(keyId));
  if (key === undefined) return undefined;
  try {
    const decipher = createDecipheriv(CIPHER, key.key, bytes.subarray(ID_BYTES, HEAD_BYTES));
    decipher.setAAD(keyId);
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    const text =
      decipher.update(bytes.subarray(HEAD_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    const { i: id, r: revision, s: subject, c: capabilities, t: createdAt } = JSON.parse(text) as Sealed;
    return { id, handle, revision, subject, capabilities, createdAt };
  } catch {
    // Not ours: a wrong tag is what a forged or damaged handle looks like.
    return undefined;
  }
}
