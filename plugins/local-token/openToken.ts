import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { GatewayError, messageOf } from 'pegboard';

const BYTES = 32;

/** Reads the token of a file; creates it with a new one (mode 0600).
 *  @throws GatewayError PLUGIN_START that names the file and the reason, never the content */
export function openToken(file: string): string {
  try {
    create(file);
    const [, token] = /^([\w-]{43,})\s*$/.exec(readFileSync(file, 'utf8')) ?? [];
    if (token !== undefined) return token;
  } catch (error) {
    throw unusable(file, messageOf(error), error);
  }
  throw unusable(
    file,
    'it must hold one word of 43 characters at least; delete it, and Pegboard creates a new one',
  );
}

/** Keeps an existing file: another process may start on the same directory now. */
function create(file: string): void {
  const text = `${randomBytes(BYTES).toString('base64url')}\n`;
  try {
    writeFileSync(file, text, { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function unusable(file: string, reason: string, cause?: unknown): GatewayError {
  return new GatewayError('PLUGIN_START', `${file} cannot be used: ${reason}`, { cause });
}
