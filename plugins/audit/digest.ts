import { hash } from 'node:crypto';
import { canonicalJson } from 'pegboard';

/** Only hostile input has longer names; the length of a line must be bounded. */
const MAX_NAME_CHARS = 512;

/** SHA-256, 64 hex digits. */
export function sha256(bytes: string | Buffer): string {
  // A Hash object for each line would cost three times as much.
  return hash('sha256', bytes, 'hex');
}

/** SHA-256 of a value as JSON with sorted keys and without spaces: equal values have equal digests.
 *  @returns null if the value is nested too deeply to be serialized */
export function digestOf(value: unknown): string | null {
  try {
    return sha256(canonicalJson(value ?? null));
  } catch {
    return null;
  }
}

/** The text, or its digest if it is longer than any legitimate name. */
export function shortName(text: string): string {
  return text.length > MAX_NAME_CHARS ? `sha256:${sha256(text)}` : text;
}
