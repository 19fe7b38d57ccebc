import { plainText } from 'pegboard';
import type { JsonObject } from 'pegboard';
import type { OAuthClient } from '../../contracts/oauth.ts';

const MAX_NAME_CHARS = 100;
const MAX_SCOPES = 50;
/** Printable ASCII without quotation marks, backslashes and spaces (RFC 6749 §3.3). */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/;

/** What a registration and a metadata document say alike; what cannot be used is left out. Nothing is kept that a page would load. */
export function clientMetadata(metadata: JsonObject): Pick<OAuthClient, 'name' | 'scopes'> {
  const name = nameOf(metadata['client_name']);
  const scopes = scopesOf(metadata['scope'] ?? metadata['scopes']);
  return { ...(name !== undefined && { name }), ...(scopes !== undefined && { scopes }) };
}

/** One line of printable characters: people read it when they are asked for consent. */
function nameOf(given: unknown): string | undefined {
  if (typeof given !== 'string') return undefined;
  const name = plainText(given).replaceAll(/\s+/g, ' ').trim().slice(0, MAX_NAME_CHARS);
  return name === '' ? undefined : name;
}

/** @param given a text with spaces (RFC 7591), or a list */
function scopesOf(given: unknown): readonly string[] | undefined {
  const list: readonly unknown[] =
    typeof given === 'string' ? given.split(' ') : Array.isArray(given) ? given : [];
  const scopes = [...new Set(list)].filter(
    (one): one is string => typeof one === 'string' && SCOPE.test(one),
  );
  return scopes.length === 0 ? undefined : scopes.slice(0, MAX_SCOPES);
}
