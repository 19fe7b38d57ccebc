import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A random text of that many bits, in base64url. */
export function newSecret(bits = 256): string {
  return randomBytes(bits / 8).toString('base64url');
}

/** SHA-256 in base64url: what is stored instead of a secret. Random secrets of 256 bits need no slow hash. */
export function digest(text: string): string {
  return hash('sha256', text, 'base64url');
}

/** HMAC-SHA256, its first 128 bits in base64url. */
export function tag(key: string, text: string): string {
  return createHmac('sha256', key).update(text).digest().subarray(0, 16).toString('base64url');
}

/** Compares in a time that depends on the length only. */
export function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
