import { canonicalJson } from 'pegboard';
import type { Call, JsonObject } from 'pegboard';
import { digest } from '../kit/secrets/secrets.ts';
import { ownerOf } from '../kit/authority/ownerOf.ts';

/** Records of keys are stored under `idempotency:<43 base64url characters>`. */
export const PREFIX = 'idempotency:';

/** The id of a key's record, unique for caller, tool and key. */
export function idOf(key: string, { tool, request }: Call): string {
  return PREFIX + digest(JSON.stringify([ownerOf(request), tool.name, key]));
}

/** Equal for equal arguments, in any order of keys. */
export function argumentsDigest(args: JsonObject): string {
  return digest(canonicalJson(args));
}
