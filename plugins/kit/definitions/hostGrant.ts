import { isIP } from 'node:net';

/** A host with its port, as URLs spell it: lower case, without brackets and the dot at the end. */
export interface Place {
  readonly host: string;
  readonly port: number;
}
/** What an entry of `grants.network` allows. */
export interface HostGrant extends Place {
  /** Whether it names the hosts below `host`, and not that itself. */
  readonly isBelow: boolean;
}

/** Reads `host:port`, `*.host:port`, `address:port` or `[IPv6]:port`. @returns undefined if it is nothing of these */
export function readHostGrant(text: string): HostGrant | undefined {
  const isBelow = text.startsWith('*.');
  const named = isBelow ? text.slice(2) : text;
  const place = placeIn(named);
  if (place === undefined) return undefined;
  // `*.com` would be all of them.
  if (isBelow && (isIP(place.host) > 0 || !place.host.includes('.'))) return undefined;
  // `0177.1` would be an address that it does not show.
  if (isIP(place.host) === 4 && !named.startsWith(`${place.host}:`)) return undefined;
  return { ...place, isBelow };
}

/** A host and port as a client asks for them; undefined for anything else. */
export function placeIn(authority: string): Place | undefined {
  const [, host = '', digits = ''] =
    /^([a-z\d._-]{1,253}|\[[\da-f:.]{2,45}\]):(\d{1,5})$/i.exec(authority) ?? [];
  const port = Number(digits);
  if (port < 1 || port > 65_535 || !URL.canParse(`http://${host}`)) return undefined;
  const found = new URL(`http://${host}`).hostname.replace(/^\[|\]$|\.$/g, '');
  return found === '' ? undefined : { host: found, port };
}

/** A place as an entry of `grants.network` names it. */
export function placeText({ host, port }: Place): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}

/** Whether one of the grants allows a place. */
export function isGranted({ host, port }: Place, grants: readonly HostGrant[]): boolean {
  return grants.some((grant) => {
    if (grant.port !== port) return false;
    return grant.isBelow ? isIP(host) === 0 && host.endsWith(`.${grant.host}`) : host === grant.host;
  });
}
