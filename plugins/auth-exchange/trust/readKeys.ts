import { createLocalJWKSet } from 'jose';
import type { JSONWebKeySet } from 'jose';
import type { GuardedFetch } from 'pegboard/net';

const ACCEPT = 'application/jwk-set+json, application/json';

/** The keys at an address. @throws Error with the reason. Source: RFC 7517 §5 */
export async function readKeys(
  url: string,
  fetch: GuardedFetch,
): Promise<ReturnType<typeof createLocalJWKSet>> {
  const response = await fetch(url, { headers: { accept: ACCEPT } });
  if (response.status !== 200) throw new Error(`status ${response.status}`);
  return createLocalJWKSet((await response.json()) as JSONWebKeySet);
}
