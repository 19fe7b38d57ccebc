import { createLocalJWKSet } from 'jose';
import type { JSONWebKeySet } from 'jose';
import type { GuardedFetch } from 'pegboard/net';

const ACCEPT = 'application/jwk-set+json, application/json';

/** The issuer publishes no key that could verify a signature. */
export class NoKeys extends Error {}

/** The keys at an address. @throws NoKeys @throws Error with the reason. Source: RFC 7517 §5 */
export async function readKeys(
  url: string,
  fetch: GuardedFetch,
  signal: AbortSignal | null = null,
): Promise<ReturnType<typeof createLocalJWKSet>> {
  const response = await fetch(url, { headers: { accept: ACCEPT }, signal });
  if (response.status !== 200) throw new Error(`status ${response.status}`);
  const keys = createLocalJWKSet((await response.json()) as JSONWebKeySet);
  if (!keys.jwks().keys.some(({ kty, use = 'sig' }) => kty !== 'oct' && use === 'sig'))
    throw new NoKeys('it has no public key for signatures');
  return keys;
}
