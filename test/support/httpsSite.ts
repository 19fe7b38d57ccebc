import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { selfSigned } from './certificate.ts';
import { defer } from './cleanup.ts';

/** An address that only a test's network reaches. */
export const PUBLIC_ADDRESS = '93.184.216.34';

/** An https server on the loopback interface that asks for a client certificate and needs none, seen from outside by names of a network of its own. */
export interface HttpsSite {
  readonly port: number;
  /** Trusts its certificate. */
  readonly ca: readonly string[];
  /** TCP connections that it has accepted. */
  readonly connections: () => number;
  /** The addresses that were dialled. */
  readonly dialled: string[];
  /** Answers of the resolver by name, the last one again and again; other names cannot be resolved. */
  readonly names: Map<string, (readonly string[])[]>;
  readonly resolve: (host: string) => Promise<readonly string[]>;
  /** Public addresses lead to the site. */
  readonly dial: (address: string) => string;
}

/** @param names in its certificate, beside `localhost`; public at first */
export async function httpsSite(listener: RequestListener, ...names: readonly string[]): Promise<HttpsSite> {
  const files = selfSigned(...names);
  const certificate = readFileSync(files.certificate, 'utf8');
  const asking = { requestCert: true, rejectUnauthorized: false };
  const server = createServer({ cert: certificate, key: readFileSync(files.key), ...asking }, listener);
  let connections = 0;
  server.on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  defer(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  const answers = new Map<string, (readonly string[])[]>(names.map((name) => [name, [[PUBLIC_ADDRESS]]]));
  const dialled: string[] = [];
  return {
    port: (server.address() as AddressInfo).port,
    ca: [certificate],
    connections: () => connections,
    dialled,
    names: answers,
    resolve: (host) => {
      const left = answers.get(host);
      const addresses = left !== undefined && left.length > 1 ? left.shift() : left?.[0];
      return addresses === undefined ? Promise.reject(new Error('ENOTFOUND')) : Promise.resolve(addresses);
    },
    dial: (address) => {
      dialled.push(address);
      return address === PUBLIC_ADDRESS ? '127.0.0.1' : address;
    },
  };
}
