import { guardedFetch } from 'pegboard/net';
import type { GuardedFetch, GuardedFetchParts } from 'pegboard/net';

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 1_048_576;
const MAX_REDIRECTS = 3;

/** Requests to the identity provider. `allowPrivate`: idp.allowPrivateIPOIDC */
export function providerFetch(
  parts: Pick<GuardedFetchParts, 'allowPrivate' | 'proxies' | 'trust' | 'showsRedirects'>,
): GuardedFetch {
  return guardedFetch({
    ...parts,
    allowHttp: 'loopback',
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
    maxRedirects: MAX_REDIRECTS,
  });
}
