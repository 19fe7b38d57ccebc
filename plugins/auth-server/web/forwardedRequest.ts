import { isIP } from 'node:net';
import type { BlockList } from 'node:net';
import parseForwarded from 'forwarded-parse';
import type { RequestFacts } from 'pegboard';

/** Why forwarded headers are not believed: the peer is not a trusted proxy, or `X-Forwarded-*` and `Forwarded` differ. */
export type Doubt = 'untrusted' | 'contradictory';

/** Where a request came from, and how its client may have addressed it. */
export interface ForwardedRequest {
  /** The client's address, without port; undefined without a socket. */
  readonly address: string | undefined;
  /** What may precede the path in the client's URL, without a slash at the end; always with `baseUrl`. */
  readonly origins: readonly string[];
  readonly doubt?: Doubt;
}

/** What the headers of one kind say. */
interface Claim {
  /** One for each proxy, that of the peer last. */
  readonly hops: readonly string[];
  readonly scheme: string | undefined;
  readonly host: string | undefined;
}

/** Forwarded headers count only if the peer is a trusted proxy; anyone else could choose their values. A proxy that sets one kind passes
 *  the other as the client has sent it, so what they do not agree on is not believed. @param baseUrl of aggregator.oauth.server */
export function forwardedRequest(
  request: Pick<RequestFacts, 'header' | 'remoteAddress'>,
  proxies: BlockList,
  baseUrl: string,
): ForwardedRequest {
  const peer = plainAddress(request.remoteAddress ?? '');
  const host = request.header('host');
  const claims = [claimOfXForwarded(request), claimOfForwarded(request)].filter(
    (claim) => claim !== undefined,
  );
  const seenFrom = (
    address: string | undefined,
    origin: string | undefined,
    doubt?: Doubt,
  ): ForwardedRequest => ({
    address,
    origins: [...new Set(origin === undefined ? [baseUrl] : [origin, baseUrl])],
    ...(doubt !== undefined && { doubt }),
  });
  if (claims.length === 0) return seenFrom(peer, originOf('http', host));
  if (peer === undefined || !isTrusted(peer, proxies))
    return seenFrom(peer, originOf('http', host), 'untrusted');
  const addresses = new Set(claims.map(({ hops }) => clientAmong(hops, peer, proxies)));
  // A missing part is as the peer sent its request.
  const origins = new Set(claims.map((claim) => originOf(claim.scheme ?? 'http', claim.host ?? host)));
  const isAgreed = addresses.size === 1 && origins.size === 1;
  return seenFrom(
    addresses.size === 1 ? [...addresses][0] : peer,
    origins.size === 1 ? [...origins][0] : undefined,
    isAgreed ? undefined : 'contradictory',
  );
}

function claimOfXForwarded(request: Pick<RequestFacts, 'header'>): Claim | undefined {
  const [hops, schemes, hosts] = ['for', 'proto', 'host'].map((part) =>
    request.header(`x-forwarded-${part}`),
  );
  if (hops === undefined && schemes === undefined && hosts === undefined) return undefined;
  return { hops: valuesOf(hops), scheme: valuesOf(schemes).at(-1), host: valuesOf(hosts).at(-1) };
}

/** Source: RFC 7239 §4. One that is malformed claims nothing that anyone could agree with. */
function claimOfForwarded(request: Pick<RequestFacts, 'header'>): Claim | undefined {
  const text = request.header('forwarded');
  if (text === undefined) return undefined;
  try {
    const elements = parseForwarded(text);
    const { proto, host } = elements.at(-1) ?? {};
    return { hops: elements.map((element) => element['for'] ?? ''), scheme: proto, host };
  } catch {
    return { hops: [''], scheme: '', host: undefined };
  }
}

/** The rightmost address that is not a proxy of ours: what is left of it was written by the client. */
function clientAmong(hops: readonly string[], peer: string, proxies: BlockList): string {
  let address = peer;
  for (const hop of [...hops].reverse()) {
    const next = plainAddress(hop);
    if (next === undefined) return address;
    address = next;
    if (!isTrusted(address, proxies)) return address;
  }
  return address;
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

/** The address without port, brackets, zone and the IPv6 form of an IPv4 address. @returns undefined if it is not an address */
function plainAddress(text: string): string | undefined {
  const [, bare = text] = /^\[(.*)\](?::[\w.-]+)?$/.exec(text) ?? /^([\d.]+):[\w.-]+$/.exec(text) ?? [];
  const address = bare.replace(/%.*/s, '').replace(/^::ffff:(?=[\d.]+$)/i, '');
  return isIP(address) === 0 ? undefined : address;
}

function isTrusted(address: string, proxies: BlockList): boolean {
  return proxies.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}
