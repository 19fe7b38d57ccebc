import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { selfSigned } from './certificate.ts';
import { defer } from './cleanup.ts';

export interface TlsProxy {
  /** `https://localhost:<port>` */
  readonly origin: string;
  /** PEM file of the certificate that no authority has signed. */
  readonly certificate: string;
}

/** Passes requests on to a server without TLS; closed after the test. @param origin of that server, asked for each request
 *  @param parts `names` in its certificate, beside `localhost` */
export async function tlsProxy(
  origin: () => string,
  { names = [], options = {} }: { readonly names?: readonly string[]; readonly options?: TlsOptions } = {},
): Promise<TlsProxy> {
  const { key, certificate } = selfSigned(...names);
  const own = { key: readFileSync(key), cert: readFileSync(certificate), ...options };
  const server = createServer(own, (req, res) => {
    const { method, headers, url = '' } = req;
    const to = new URL(origin());
    const passed = request(`${to.origin}${url}`, { method, headers: { ...headers, host: to.host } });
    passed.on('response', (answer) => answer.pipe(res.writeHead(answer.statusCode ?? 0, answer.headers)));
    passed.on('error', () => res.destroy());
    res.on('close', () => passed.destroy());
    req.pipe(passed);
  });
  await once(server.listen(0), 'listening');
  defer(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `https://localhost:${(server.address() as AddressInfo).port}`, certificate };
}
