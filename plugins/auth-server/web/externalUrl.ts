import { isIP } from 'node:net';
import type { BlockList } from 'node:net';
import type { RequestFacts } from 'pegboard';

/** Where a request came from, and how its client may have addressed it. */
export interface ExternalUrl {
  /** The client's address, without port; undefined without a socket. */
  readonly address: string | undefined;
  /** What may precede the path in the client's URL, without a slash at the end; always with `baseUrl`. */
  readonly origins: readonly string[];
}

/** Headers `X-Forwarded-*` count only if the peer is a trusted proxy; anyone else could choose their values.
 *  @param baseUrl of aggregator.oauth.server */
export function externalUrl(
  request: Pick<RequestFacts, 'header' | 'remoteAddress'>,
  proxies: BlockList,
  baseUrl: string,
): ExternalUrl {
  const peer = plainAddress(request.remoteAddress ?? '');
  const isForwarded = peer !== undefined && isTrusted(peer, proxies);
  const origin = isForwarded ? forwardedOrigin(request) : originOf('http', request.header('host'));
  const address = isForwarded ? forwardedAddress(peer, request.header('x-forwarded-for'), proxies) : peer;
  return { address, origins: [...new Set(origin === undefined ? [baseUrl] : [origin, baseUrl])] };
}

/** The rightmost address that is not a proxy of ours: what is left of it was written by the client. */
function forwardedAddress(peer: string, header: string | undefined, proxies: BlockList): string {
  let address = peer;
  for (const hop of valuesOf(header).reverse()) {
    const next = plainAddress(hop);
    if (next === undefined) return address;
    address = next;
    if (!isTrusted(address, proxies)) return address;
  }
  return address;
}

/** The last values, which the trusted peer has written. A missing one is as the peer sent its request. */
function forwardedOrigin(request: Pick<RequestFacts, 'header'>): string | undefined {
  const scheme = valuesOf(request.header('x-forwarded-proto')).at(-1) ?? 'http';
  const host = valuesOf(request.header('x-forwarded-host')).at(-1) ?? request.header('host');
  return originOf(scheme, host);
}

function originOf(scheme: string, host = ''): string | undefined {
  if (!/^https?$/i.test(scheme) || !/^(\[[\da-f:.]+\]|[^\s:/@[\]?#\\,]+)(:\d{1,5})?$/i.test(host))
    return undefined;
  const url = `${scheme}://${host}`;
  return URL.canParse(url) ? new URL(url).origin : undefined;
}

function valuesOf(header = ''): string[] {
  const values = header.split(',').map((value) => value.trim());
  return values.filter((value) => value !== '');
}

/** Without port, brackets, zone and the IPv6 form of an IPv4 address. @returns undefined if it is not an address */
function plainAddress(text: string): string | undefined {
  const bare = /^\[(.*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  const address = bare.replace(/%.*$/, '').replace(/^::ffff:(?=[\d.]+$)/i, '');
  return isIP(address) === 0 ? undefined : address;
}

function isTrusted(address: string, proxies: BlockList): boolean {
  return proxies.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}
