import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';

/** What an id_token says, for showing it: the gateway, which sent it over its connection, has checked it. Empty if it is
 *  not a JWT. */
export function claimsOf(idToken: string): JsonObject {
  try {
    const payload = Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString();
    const claims: unknown = JSON.parse(payload);
    return isObject(claims) ? claims : {};
  } catch {
    return {};
  }
}
