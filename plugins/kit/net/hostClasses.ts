import { isIP } from 'node:net';
import { addressClass } from './addressClass.ts';
import type { AddressClass } from './addressClass.ts';
import { resolveHost } from './resolveHost.ts';

const RESOLVE_MS = 5_000;

/** Where all addresses of a host lead, without a request to it; empty if it cannot be resolved in time.
 *  @param host as hostOf() returns it @param resolve default: as the system finds the addresses */
export async function hostClasses(
  host: string,
  resolve: (host: string) => Promise<readonly string[]> = resolveHost,
): Promise<readonly AddressClass[]> {
  if (isIP(host) > 0) return [addressClass(host)];
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly string[]>((done) => (timer = setTimeout(done, RESOLVE_MS, [])));
  const addresses = await Promise.race([resolve(host).catch(() => []), late]);
  clearTimeout(timer);
  return addresses.map(addressClass);
}

/** The host of a URL without the brackets of IPv6 and the dot at the end. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$|\.$/g, '');
}

/** Whether a host leads to this machine by its name alone. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || (isIP(host) > 0 && addressClass(host) === 'loopback');
}
