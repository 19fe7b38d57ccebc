import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { GatewayError } from 'pegboard';
import type { AuditConfig } from './config.ts';
import { sha256 } from './digest.ts';
import type { Line } from './line.ts';

/** The key that signs checkpoints, and the public keys whose signatures are valid. */
export interface Keys {
  readonly signing: { readonly id: string; readonly key: KeyObject } | undefined;
  /** Id (SHA-256 of the public key as SPKI DER) → public key. */
  readonly trustedById: ReadonlyMap<string, KeyObject>;
}
type KeySettings = Pick<AuditConfig, 'signingKeyFile' | 'trustedKeyFiles'>;

/** @param base directory of relative names @throws GatewayError CONFIG_UNREADABLE */
export async function loadSigningKeys(
  { signingKeyFile, trustedKeyFiles }: KeySettings,
  base: string,
): Promise<Keys> {
  const trusted = await Promise.all(
    trustedKeyFiles.map((file) => loadKey(resolve(base, file), createPublicKey)),
  );
  const key =
    signingKeyFile === undefined ? undefined : await loadKey(resolve(base, signingKeyFile), createPrivateKey);
  const own = key === undefined ? [] : [createPublicKey(key)];
  const trustedById = new Map([...own, ...trusted].map((one) => [idOf(one), one]));
  return { signing: key && { id: idOf(createPublicKey(key)), key }, trustedById };
}

async function loadKey(file: string, read: (pem: string) => KeyObject): Promise<KeyObject> {
  try {
    const key = read(await readFile(file, 'utf8'));
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch (error) {
    throw unusable(file, error);
  }
  throw unusable(file);
}

function unusable(file: string, cause?: unknown): GatewayError {
  const text = `${file} is not a readable PEM file with an Ed25519 key; make one with openssl genpkey -algorithm ed25519`;
  return new GatewayError('CONFIG_UNREADABLE', text, { cause });
}

function idOf(key: KeyObject): string {
  return sha256(key.export({ type: 'spki', format: 'der' }));
}

type Place = Pick<Line, 'seq' | 'time' | 'prev'>;

/** The signed text. It covers all earlier lines, because `prev` depends on them. */
function signedText({ seq, time, prev }: Place): Buffer {
  return Buffer.from(`pegboard audit checkpoint\n${seq}\n${time}\n${prev}\n`);
}

/** The members of a checkpoint at that place, besides its type. */
export function signatureFor(place: Place, { signing }: Keys): { key?: string; signature?: string } {
  if (signing === undefined) return {};
  return { key: signing.id, signature: sign(null, signedText(place), signing.key).toString('base64') };
}

/** @returns the fault of a checkpoint's signature; undefined if the signature is valid */
export function signatureFault(line: Line, { trustedById }: Keys): string | undefined {
  const { key, signature } = line.event;
  const known = typeof key === 'string' ? trustedById.get(key) : undefined;
  if (known === undefined)
    return `signed by the unknown key ${String(key)}; name it in trustedKeyFiles if it is yours`;
  const isGood = verify(null, signedText(line), known, Buffer.from(String(signature), 'base64'));
  return isGood ? undefined : 'the signature is not valid';
}
