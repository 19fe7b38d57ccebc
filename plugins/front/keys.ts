import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayError } from 'pegboard';

/** The first key seals, every key opens: put a new one in front to rotate. */
export interface SessionKey {
  /** 4 bytes, stands in the handle */
  readonly id: Buffer;
  /** 32 bytes */
  readonly key: Buffer;
}

const FILE = 'session-keys.json';

/** Reads `<state>/session-keys.json`, or makes it (mode 0600). Without a state directory the key lives as long as the process.
 *  @throws GatewayError CONFIG_UNREADABLE when the file is there but not usable */
export function loadKeys(stateDirectory: string | undefined): readonly SessionKey[] {
  const fresh = newKey();
  if (stateDirectory === undefined) return [fresh];
  const file = join(stateDirectory, FILE);
  try {
    writeFileSync(file, serialize(fresh), { mode: 0o600, flag: 'wx' });
    return [fresh];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unusable(file, error);
  }
  try {
    return parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw unusable(file, error);
  }
}

function newKey(): SessionKey {
  return { id: randomBytes(4), key: randomBytes(32) };
}

function serialize({ id, key }: SessionKey): string {
  return `${JSON.stringify({ keys: [{ id: id.toString('hex'), key: key.toString('base64') }] }, null, 2)}\n`;
}

function parse(text: string): readonly SessionKey[] {
  const { keys } = JSON.parse(text) as { keys: { id: string; key: string }[] };
  const read = keys.map(({ id, key }) => ({ id: Buffer.from(id, 'hex'), key: Buffer.from(key, 'base64') }));
  if (read.length === 0 || read.some(({ id, key }) => id.length !== 4 || key.length !== 32)) {
    throw new Error('a key needs an id of 8 hex digits and 32 bytes in base64');
  }
  return read;
}

function unusable(file: string, cause: unknown): GatewayError {
  const text = `${file} cannot be used; repair it, or remove it to start with a new key (clients then start over)`;
  return new GatewayError('CONFIG_UNREADABLE', text, { cause });
}
