import { hash } from 'node:crypto';
import { canonicalJson } from 'pegboard';

/** Longer names come from outside only, and a line has a bounded length. */
const MAX_NAME_CHARS = 512;

/** SHA-256, 64 hex digits. */
export function sha256(bytes: string | Buffer): string {
  // A Hash object for each line would cost three times as much.
  return hash('sha256', bytes, 'hex');
}

/** SHA-256 of a value as JSON with sorted keys and no spaces: two values that are equal have one.
 *  @returns null when it is nested too deeply to be written */
export function digestOf(value: unknown): string | null {
  try {
    return sha256(canonicalJson(value ?? null));
  } catch {
    return null;
  }
}

/** The text, or when it is longer than any honest name its digest. */
export function shortName(text: string): string {
  return text.length > MAX_NAME_CHARS ? `sha256:${sha256(text)}` : text;
}
