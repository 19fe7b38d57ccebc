import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  if (stateDirectory === undefined) return [newKey()];
  const file = join(stateDirectory, FILE);
  try {
    if (!existsSync(file)) create(file, serialize(newKey()));
    return parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw unusable(file, error);
  }
}

/** Whole or not at all, the first one wins: another process may start on the same directory in this very moment. */
function create(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text, { mode: 0o600 });
  try {
    linkSync(draft, file);
  } catch (error) {
    if (isTaken(error)) return;
    createWithoutLinks(file, text);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Some mounted file systems have no hard links. */
function createWithoutLinks(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (!isTaken(error)) throw error;
  }
}

function isTaken(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EEXIST';
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
