import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';

/** The claims of a JWT that another party verifies, or has verified; empty if it is not a JWT. */
export function claimsOf(token: string): JsonObject {
  try {
    const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
    const claims: unknown = JSON.parse(payload);
    return isObject(claims) ? claims : {};
  } catch {
    return {};
  }
}
