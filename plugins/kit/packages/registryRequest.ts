import { isIP } from 'node:net';
import { GuardedFetchError, addressClass, guardedFetch, hostOf, resolveHost } from 'pegboard/net';
import type { GuardedFetchParts } from 'pegboard/net';
import { Failure } from '../text/failure.ts';

/** What a registry is asked with. */
export interface Asking extends Pick<GuardedFetchParts, 'trust' | 'proxies' | 'resolve' | 'dial'> {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
}

/** A registry that cannot be reached, or cannot answer now. */
export class RegistryAway extends Failure {}

/** Documents of packages with thousands of versions have this size. */
const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;
export const MAX_ARCHIVE_BYTES = 256 * 1024 * 1024;

/** Asks a registry. Its address is of the operator's own settings, so it may be a private one; one on the Internet names and redirects
 *  to none. @param what names what is asked for @param namedBy the address whose answer has named this one
 *  @throws Failure if there is no such thing; RegistryAway */
export async function registryRequest(
  url: string,
  {
    what,
    accept,
    headers = {},
    maxBytes = MAX_DOCUMENT_BYTES,
    isHttpsOnly = false,
    namedBy = url,
    statuses = [],
    ...asking
  }: Asking & {
    readonly what: string;
    readonly accept: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly maxBytes?: number;
    /** Whether plain http is for loopback only. */
    readonly isHttpsOnly?: boolean;
    readonly namedBy?: string;
    /** Statuses besides 200 that the caller understands. */
    readonly statuses?: readonly number[];
  },
): Promise<Response> {
  const host = URL.canParse(url) ? new URL(url).host : url;
  const fetch = guardedFetch({
    ...asking,
    allowPrivate: !(await isPublic(namedBy, asking)),
    allowHttp: isHttpsOnly ? 'loopback' : 'always',
    maxRedirects: 5,
    maxBytes,
  });
  let response: Response;
  try {
    response = await fetch(url, { headers: { accept, ...headers } });
  } catch (error) {
    if (!(error instanceof GuardedFetchError)) throw error;
    throw new RegistryAway(`the registry at ${host} does not answer: ${error.message}`);
  }
  const { status } = response;
  if (status === 200 || statuses.includes(status)) return response;
  if (status === 404 || status === 410) throw new Failure(`there is no ${what} at ${host}`);
  if (status === 401 || status === 403)
    throw new RegistryAway(`the registry at ${host} wants a sign-in for ${what}, which Pegboard has not`);
  throw new RegistryAway(`the registry at ${host} answers with HTTP ${status}`);
}

async function isPublic(url: string, { resolve = resolveHost }: Asking): Promise<boolean> {
  if (!URL.canParse(url)) return false;
  const host = hostOf(new URL(url));
  const addresses = isIP(host) > 0 ? [host] : await resolve(host).catch(() => []);
  return addresses.length > 0 && addresses.every((address) => addressClass(address) === 'public');
}

/** @throws RegistryAway if it is not an object in JSON */
export async function jsonOf(response: Response, url: string): Promise<Readonly<Record<string, unknown>>> {
  const text = await response.text();
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch {
    // Said below.
  }
  throw new RegistryAway(`what the registry at ${new URL(url).host} answers is not JSON`);
}
