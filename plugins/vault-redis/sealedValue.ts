import { sealBytes, unsealBytes } from '../kit/secrets/seal.ts';
import type { KeyRing } from '../contracts/vault.ts';

const ID_BYTES = 4;

/** Key id and sealed JSON; it opens under the same key of the vault only, so that values cannot be exchanged. */
export function sealValue([key]: KeyRing, name: string, json: string): Buffer {
  return Buffer.concat([key.id, sealBytes(key, contextOf(name, key.id), Buffer.from(json))]);
}

/** @returns the JSON; undefined if no key opens it */
export function openValue(ring: KeyRing, name: string, bytes: Buffer): string | undefined {
  const id = bytes.subarray(0, ID_BYTES);
  const key = ring.find((one) => one.id.equals(id));
  return key && unsealBytes(key, contextOf(name, id), bytes.subarray(ID_BYTES))?.toString();
}

function contextOf(name: string, id: Buffer): Buffer {
  return Buffer.concat([id, Buffer.from(JSON.stringify(name))]);
}
