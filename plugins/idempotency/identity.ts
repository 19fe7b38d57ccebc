import { createHash } from 'node:crypto';
import { canonicalJson, ownerOf } from 'pegboard';
import type { Call, JsonObject } from 'pegboard';

/** What is known of a key is kept under `idempotency:<43 base64url characters>`. */
export const PREFIX = 'idempotency:';

/** Where it is kept: the same for nobody else and for no other tool. */
export function idOf(key: string, { tool, request }: Call): string {
  return PREFIX + hashOf(JSON.stringify([ownerOf(request), tool.name, key]));
}

/** Equal for the same arguments, in whatever order their keys came. */
export function digestOf(args: JsonObject): string {
  return hashOf(canonicalJson(args));
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
