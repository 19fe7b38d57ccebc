import { SEAL_BYTES, sealBytes, unsealBytes } from '../../kit/secrets/seal.ts';
import type { KeyRing } from '../../contracts/vault.ts';

const ID_BYTES = 4;
const MAX_CHARS = 4_096;

/** The purpose of a sealed text; a text sealed for one purpose does not open for another. */
export type Use = 'session' | 'owner';

/** A JSON value as opaque text: key id and sealed JSON in base64url (decision D10). */
export function sealed(value: unknown, use: Use, [key]: KeyRing): string {
  const text = sealBytes(key, contextOf(use, key.id), Buffer.from(JSON.stringify(value)));
  return Buffer.concat([key.id, text]).toString('base64url');
}

/** @returns undefined if no key opens it for this use */
export function unsealed(text: string, use: Use, keys: KeyRing): unknown {
  if (text.length > MAX_CHARS || !/^[\w-]+$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length <= ID_BYTES + SEAL_BYTES) return undefined;
  // The decoder ignores spare bits of the last character; one session has one handle.
  if (bytes.toString('base64url') !== text) return undefined;
  const keyId = bytes.subarray(0, ID_BYTES);
  const key = keys.find(({ id }) => id.equals(keyId));
  const json = key && unsealBytes(key, contextOf(use, keyId), bytes.subarray(ID_BYTES));
  return json === undefined ? undefined : JSON.parse(json.toString());
}

function contextOf(use: Use, keyId: Buffer): Buffer {
  return use === 'session' ? keyId : Buffer.concat([keyId, Buffer.from(use)]);
}
