import * as http from 'node:http';
import * as https from 'node:https';
import { isIP } from 'node:net';
import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { openSocks } from './openSocks.ts';
import { ProxyError } from './proxyRoutes.ts';
import type { Proxy } from './proxyRoutes.ts';

/** What a connection through a proxy is made to. */
export interface TunnelTarget {
  readonly host: string;
  readonly port: number;
  /** What the connection to a proxy at https trusts; undefined: what Node.js trusts by itself. */
  readonly secureContext?: SecureContext | undefined;
  readonly signal?: AbortSignal;
}

/** Opens a connection to a host through a proxy, which resolves its name. @throws ProxyError */
export async function openTunnel(proxy: Proxy, parts: TunnelTarget): Promise<Socket> {
  try {
    return await (proxy.isSocks ? openSocks : openConnect)(proxy, parts);
  } catch (error) {
    throw error instanceof ProxyError ? error : unreachableProxy(proxy, error as Error, parts.signal);
  }
}

/** Source: RFC 9110 §9.3.6 */
function openConnect(proxy: Proxy, { host, port, secureContext, signal }: TunnelTarget): Promise<Socket> {
  const target = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  return new Promise((resolve, reject) => {
    const asked = (proxy.isHttps ? https : http).request({
      host: proxy.host,
      port: proxy.port,
      method: 'CONNECT',
      path: target,
      agent: false,
      headers: { host: target, ...authorizationFor(proxy) },
      ...(signal && { signal }),
      ...(secureContext && { secureContext }),
    });
    asked.on('connect', ({ statusCode = 0 }, socket: Socket, head) => {
      if (statusCode < 200 || statusCode > 299) {
        socket.destroy();
        reject(refusal(proxy, statusCode, target));
        return;
      }
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    asked.on('error', reject);
    asked.end();
  });
}

/** The header that a proxy wants. Source: RFC 7617 */
export function authorizationFor({ credentials }: Proxy): Readonly<Record<string, string>> {
  if (credentials === '') return {};
  return { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` };
}

export function unreachableProxy({ name }: Proxy, error: Error, signal?: AbortSignal): ProxyError {
  const code = (error as NodeJS.ErrnoException).code ?? error.name;
  const reason = signal?.aborted === true ? 'no connection in time' : error.message || code;
  return new ProxyError(`the proxy ${name} cannot be reached: ${reason}`, { cause: error });
}

function refusal({ name }: Proxy, status: number, target: string): ProxyError {
  const fix =
    status === 407 ? '; it wants other credentials: write user:password@ before its host' : FIXES.get(status);
  return new ProxyError(
    `the proxy ${name} did not connect to ${target}: it answered HTTP ${status}${fix ?? ''}`,
  );
}
const FIXES: ReadonlyMap<number, string> = new Map([
  [403, '; have it allow this host and port, or exempt the host by NO_PROXY'],
]);
