import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname } from 'node:path';
import type { KeyRing, SealKey } from '../../contracts/vault.ts';

/** A key ring with one new key. */
export function newKeyRing(): KeyRing {
  return [{ id: randomBytes(4), key: randomBytes(32) }];
}

/** Reads a key file, `{"keys":[{"id":"<8 hex digits>","key":"<32 bytes in base64>"}]}`; creates it with one new key (mode 0600).
 *  @throws Error that names the file and the reason, never the content */
export function loadKeyRing(file: string): KeyRing {
  try {
    if (!fs.existsSync(file)) create(file);
    return parse(fs.readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`${file} cannot be used: ${(error as Error).message}`, { cause: error });
  }
}

/** Writes the complete file or none, and keeps an existing one: another process may start on the same directory now. */
function create(file: string): void {
  const [{ id, key }] = newKeyRing();
  const text = `${JSON.stringify({ keys: [{ id: id.toString('hex'), key: key.toString('base64') }] }, null, 2)}\n`;
  const draft = `${file}.${process.pid}`;
  try {
    fs.writeFileSync(draft, text, { mode: 0o600, flush: true });
    publish(draft, file);
    syncFolder(dirname(file));
  } catch (error) {
    if (!isTaken(error)) throw error;
  } finally {
    fs.rmSync(draft, { force: true });
  }
}

function publish(draft: string, file: string): void {
  try {
    fs.linkSync(draft, file);
  } catch (error) {
    if (isTaken(error)) throw error;
    // Some mounted file systems have no hard links.
    fs.copyFileSync(draft, file, fs.constants.COPYFILE_EXCL);
  }
}

function isTaken(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EEXIST';
}

/** Some file systems cannot sync a folder; the file itself is already safe. */
function syncFolder(folder: string): void {
  const handle = fs.openSync(folder, 'r');
  try {
    fs.fsyncSync(handle);
  } catch {
    return;
  } finally {
    fs.closeSync(handle);
  }
}

function parse(text: string): KeyRing {
  try {
    const { keys } = JSON.parse(text) as { keys: { id: string; key: string }[] };
    const [first, ...others] = keys.map(({ id, key }) => ({
      id: Buffer.from(id, 'hex'),
      key: Buffer.from(key, 'base64'),
    }));
    if (first !== undefined && [first, ...others].every(isComplete)) return [first, ...others];
  } catch {
    // The error is dropped, because JSON.parse quotes the text in it.
  }
  throw new Error('it must hold {"keys":[{"id":"<8 hex digits>","key":"<32 bytes in base64>"}]}');
}

function isComplete({ id, key }: SealKey): boolean {
  return id.length === 4 && key.length === 32;
}
