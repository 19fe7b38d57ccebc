import { once } from 'node:events';
import { BlockList, connect, isIP } from 'node:net';
import type { LookupFunction, Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { addressClass, hostOf, isLeftToProxy, openTunnel, proxyRoutes } from 'pegboard/net';
import type { Proxy, ProxySettings } from 'pegboard/net';
import { isGranted, placeText } from '../kit/definitions/hostGrant.ts';
import type { HostGrant, Place } from '../kit/definitions/hostGrant.ts';
import type { TlsTrust } from '../kit/tls/tlsTrust.ts';

/** The grants of a server do not allow a place. The message is for its own eyes, too: it names no address. */
export class Refused extends Error {}

export interface ReachParts {
  readonly grants: readonly HostGrant[];
  /** Those of the gateway. */
  readonly proxies: () => ProxySettings;
  /** What a connection to such a proxy trusts. */
  readonly trust: TlsTrust;
  /** Finds the addresses of a name. */
  readonly resolve: (host: string) => Promise<readonly string[]>;
}
/** A way to a place: through a proxy, or to addresses that were checked. */
export interface Way {
  readonly proxy: Proxy | undefined;
  readonly addresses: readonly string[];
}

/** How a place is reached. It checks all that the place's name leads to, and the connection goes to what was checked.
 *  @param isTls whether the client speaks TLS there, as far as its request says @throws Refused, ProxyError; Error if it cannot be resolved */
export async function wayTo(place: Place, isTls: boolean, parts: ReachParts): Promise<Way> {
  const { grants, proxies, resolve } = parts;
  if (!isGranted(place, grants)) throw new Refused('grants.network of its definition does not name it');
  const url = new URL(`${isTls ? 'https' : 'http'}://${placeText(place)}`);
  const { host, port } = place;
  const addresses = isIP(host) > 0 ? [host] : await resolve(host).catch((): readonly string[] => []);
  if (addresses.length === 0) {
    if (isLeftToProxy(url, proxies())) return { proxy: proxyRoutes(proxies())(url).proxy, addresses };
    throw new Error('its name cannot be resolved');
  }
  const isOwn = ownAddresses();
  const isOpen = (address: string): boolean => {
    const found = addressClass(address);
    if (found === 'public' && !isOwn(address)) return true;
    return !['reserved', 'unspecified'].includes(found) && isNamed(address, port, grants);
  };
  if (!addresses.every(isOpen))
    throw new Refused('it leads to this machine or a private network, and no entry is that address');
  const isHere = addresses.every((address) => addressClass(address) === 'loopback' || isOwn(address));
  return { proxy: isHere ? undefined : proxyRoutes(proxies())(url).proxy, addresses };
}

/** Opens a connection that carries bytes to the place. @throws ProxyError, or the error of the connection */
export async function openWay(
  { host, port }: Place,
  { proxy, addresses }: Way,
  { trust, signal }: Pick<ReachParts, 'trust'> & { readonly signal: AbortSignal },
): Promise<Socket> {
  if (proxy !== undefined) {
    const secureContext = proxy.isHttps ? trust() : undefined;
    return openTunnel(proxy, { host, port, secureContext, signal });
  }
  const pinned = addresses.map((address) => ({ address, family: isIP(address) }));
  const lookup: LookupFunction = (_host, { all }, done) => {
    if (all === true) done(null, pinned);
    else done(null, pinned[0]?.address ?? '', pinned[0]?.family);
  };
  const socket = connect({ host, port, lookup, allowHalfOpen: true });
  try {
    await once(socket, 'connect', { signal });
    return socket;
  } catch (error) {
    // Its attempts may fail once more.
    socket.on('error', () => undefined).destroy();
    throw error;
  }
}

function isNamed(address: string, port: number, grants: readonly HostGrant[]): boolean {
  const text = isIP(address) === 6 ? `[${address}]` : address;
  if (!URL.canParse(`http://${text}`)) return false;
  return isGranted({ host: hostOf(new URL(`http://${text}`)), port }, grants);
}

/** Addresses of this machine that others may reach: what listens on all of them is as near as loopback.
 *  @returns whether one is of these, of IPv4 also as IPv6 spells it */
function ownAddresses(): (address: string) => boolean {
  const own = new BlockList();
  const all = Object.values(networkInterfaces()).flatMap((found = []) => found);
  for (const { address, family } of all) own.addAddress(address, family === 'IPv6' ? 'ipv6' : 'ipv4');
  return (address) => own.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}
