import { isObject } from 'pegboard';
import type { InboundRequest, JsonObject } from 'pegboard';
import { CodecError, RPC } from './codec.ts';

const META_KEY = 'pegboard.dev/idempotency-key';
const HEADER = 'idempotency-key';
const KEY = /^[\x20-\x7e]{1,255}$/;
/** A string of RFC 8941 §3.3.3; captures the text between the quotes. */
const QUOTED = /^"((?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
/** The same without quotes, as many clients write it. */
const BARE = /^[\w.:~+/=@-]+$/;

/** The key under which a call is made at most once, from `_meta` or else from a header.
 *  Source: draft-ietf-httpapi-idempotency-key-header §2. @throws CodecError if the value is not a valid key */
export function idempotencyKeyOf(params: JsonObject, request: InboundRequest): string | undefined {
  const { _meta: meta } = params;
  const inMeta = isObject(meta) ? meta[META_KEY] : undefined;
  if (inMeta !== undefined) return checked(inMeta, `params._meta["${META_KEY}"]`);
  const header = request.header(HEADER);
  return header === undefined ? undefined : checked(textOf(header.trim()), 'header Idempotency-Key');
}

function textOf(header: string): string | undefined {
  if (BARE.test(header)) return header;
  return QUOTED.exec(header)?.[1]?.replace(/\\(.)/g, '$1');
}

function checked(key: unknown, where: string): string {
  if (typeof key === 'string' && KEY.test(key)) return key;
  throw new CodecError(RPC.invalidParams, `${where} must be a string of 1 to 255 printable ASCII characters`);
}
