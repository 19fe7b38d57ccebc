import { createServer, isIP, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { isObject } from 'pegboard';
import { readConfig } from '../readConfig.ts';

/** What a manager can listen on for the gateway of a directory, such as `127.0.0.1:8090`; none if its settings name no fixed address.
 *  @throws Failure if config.yaml cannot be read */
export async function socketAddresses(directory: string): Promise<readonly string[]> {
  const { value } = await readConfig(directory);
  const { aggregator } = value;
  const { host = 'localhost', port = 8090, transport, enabled } = isObject(aggregator) ? aggregator : {};
  if (typeof host !== 'string' || !Number.isInteger(port) || port === 0) return [];
  if (transport === 'stdio' || enabled === false) return [];
  const addresses = host === 'localhost' ? loopback() : [host].filter((one) => isIP(one) > 0);
  return addresses.map((one) => `${isIPv6(one) ? `[${one}]` : one}:${String(port)}`);
}

/** Both, where the machine has them: a socket for one that is not there does not open. */
function loopback(): readonly string[] {
  const here = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  return ['127.0.0.1', '::1'].filter((one) => here.some(({ address }) => address === one));
}

/** @returns what to do about the first address that another process listens on; undefined if all can be opened */
export async function heldPortFix(addresses: readonly string[]): Promise<string | undefined> {
  for (const address of addresses)
    if (await isTaken(address))
      return `another process listens on ${address}; end it (a pegboard serve of a terminal?), or set aggregator.port`;
  return undefined;
}

function isTaken(address: string): Promise<boolean> {
  const { hostname, port } = new URL(`http://${address}`);
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'EADDRINUSE'));
    server.listen(Number(port) || 80, hostname.replace(/^\[|\]$/g, ''), () =>
      server.close(() => resolve(false)),
    );
  });
}
