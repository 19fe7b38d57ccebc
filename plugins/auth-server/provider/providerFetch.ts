import type { SecureContext } from 'node:tls';
import { guardedFetch } from 'pegboard/net';
import type { GuardedFetch } from 'pegboard/net';

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 1_048_576;
const MAX_REDIRECTS = 3;

/** Requests to the identity provider. @param allowPrivate idp.allowPrivateIPOIDC */
export function providerFetch(allowPrivate: boolean, trust?: () => SecureContext | undefined): GuardedFetch {
  return guardedFetch({
    ...{ allowPrivate, ...(trust && { trust }) },
    allowHttp: 'loopback',
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
    maxRedirects: MAX_REDIRECTS,
  });
}
