import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GatewayError, createFile } from 'pegboard';

/** The first key seals, every key opens: put a new one in front to rotate. */
export interface VaultKey {
  /** 4 bytes, stands in every record */
  readonly id: Buffer;
  /** 32 bytes */
  readonly key: Buffer;
}
export type KeyRing = readonly [VaultKey, ...VaultKey[]];

const FILE = 'vault-keys.json';

/** Reads `<state>/vault-keys.json`, or makes it (mode 0600).
 *  @throws GatewayError CONFIG_UNREADABLE when it is there but not usable */
export async function loadVaultKeys(stateDirectory: string): Promise<KeyRing> {
  const file = join(stateDirectory, FILE);
  try {
    const text = await readFile(file, 'utf8').catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    });
    if (text !== undefined) return parse(text);
    await createFile(file, serialize(newKey()));
    return parse(await readFile(file, 'utf8'));
  } catch (error) {
    const fix = 'restore it from a backup; without it nothing in the vault can be read';
    throw new GatewayError('CONFIG_UNREADABLE', `${file} cannot be used; ${fix}`, { cause: error });
  }
}

export function newKey(): VaultKey {
  return { id: randomBytes(4), key: randomBytes(32) };
}

function serialize({ id, key }: VaultKey): string {
  return `${JSON.stringify({ keys: [{ id: id.toString('hex'), key: key.toString('base64') }] }, null, 2)}\n`;
}

function parse(text: string): KeyRing {
  const { keys } = JSON.parse(text) as { keys: { id: string; key: string }[] };
  const [first, ...others] = keys.map(({ id, key }) => ({
    id: Buffer.from(id, 'hex'),
    key: Buffer.from(key, 'base64'),
  }));
  if (first === undefined) throw new Error('there is no key in it');
  const ring: KeyRing = [first, ...others];
  if (ring.some(({ id, key }) => id.length !== 4 || key.length !== 32)) {
    // The cause is logged: it must not show what stands in the file.
    throw new Error('a key needs an id of 8 hex digits and 32 bytes in base64');
  }
  return ring;
}
