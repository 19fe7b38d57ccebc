import { lookup } from 'node:dns/promises';

/** All IP addresses of a host name, as the system finds them (hosts file, search domains).
 *  @throws Error if it cannot be resolved */
export async function resolveHost(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}
