import type { LookupFunction, Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { PSKCallbackNegotation } from 'node:tls';
import type { Pool, buildConnector } from 'undici';
import { authorizationFor, hostOf, openTunnel } from 'pegboard/net';
import type { Proxy, ProxyRoute } from 'pegboard/net';
import { asRefusal, isAsked, watchForRefusal } from './clientCertificate.ts';
import type { TlsTrust } from '../../../kit/tls/tlsTrust.ts';
import { transportWords } from './transportWords.ts';

/** The one of undici also returns the socket that it opens. */
type Connector = (...given: Parameters<buildConnector.connector>) => unknown;
type Done = buildConnector.Callback;

export interface OpenerParts {
  readonly url: URL;
  readonly route: ProxyRoute;
  readonly trust: TlsTrust;
  /** A socket file in place of a host and port. */
  readonly socketPath?: string | undefined;
  /** The trust in a proxy at https. */
  readonly proxyTrust: TlsTrust;
  /** Whether a client certificate is shown. */
  readonly hasCertificate?: boolean;
  /** The name in the certificate of the server, if it is not that of the url. */
  readonly servername?: string | undefined;
  /** The key that both ends have, in place of certificates. */
  readonly pskCallback?: (() => PSKCallbackNegotation) | undefined;
  readonly connectMs: number;
  /** How addresses are found, if not as for all servers. */
  readonly lookup?: LookupFunction | undefined;
}

/** Opens the sockets of a pool, directly or through a proxy. @param build of undici, with further options */
export function socketOpener(build: (more: object) => Connector, parts: OpenerParts): Connector {
  const { url, route, servername, socketPath, lookup, pskCallback } = parts;
  const own = {
    ...(servername !== undefined && { servername }),
    ...(socketPath && { socketPath }),
    ...(lookup && { lookup }),
    // There is no certificate, and no session of TLS outlives its connection.
    ...(pskCallback && { pskCallback, checkServerIdentity: () => undefined, maxCachedSessions: 0 }),
  };
  const named = (more: object): Connector => build({ ...more, ...own });
  const connect = heeding(trusting(named, parts.trust), parts.hasCertificate === true);
  const { proxy } = route;
  if (proxy === undefined) return (asked, done) => connect(asked, explaining(done, route));
  if (isForwarded(url, proxy)) {
    const place = { hostname: proxy.host, host: proxy.host, port: String(proxy.port) };
    const protocol = proxy.isHttps ? 'https:' : 'http:';
    const connectProxy = trusting(build, parts.proxyTrust);
    return (asked, done) => connectProxy({ ...asked, ...place, protocol }, explaining(done, route));
  }
  return (asked, done) => {
    tunnelled(proxy, parts).then(
      (socket) =>
        url.protocol === 'https:' ? connect({ ...asked, httpSocket: socket }, done) : done(null, socket),
      (error: unknown) => done(error as Error, null),
    );
  };
}

/** Requests as a proxy wants them that forwards plain http. Source: RFC 9112 §3.2.2 */
export function forwarded(pool: Pool, { url, route: { proxy } }: OpenerParts): Pool {
  if (proxy === undefined || !isForwarded(url, proxy)) return pool;
  const own = Object.entries(authorizationFor(proxy)).flat();
  const send = pool.dispatch.bind(pool);
  pool.dispatch = (options, handler) => {
    const headers = [...(options.headers as readonly string[]), ...own];
    return send({ ...options, path: url.origin + options.path, headers }, handler);
  };
  return pool;
}

/** Many proxies open tunnels to the ports of https only. */
function isForwarded({ protocol }: URL, { isSocks }: Proxy): boolean {
  return protocol === 'http:' && !isSocks;
}

function tunnelled(proxy: Proxy, { url, proxyTrust, connectMs }: OpenerParts): Promise<Socket> {
  return openTunnel(proxy, {
    host: hostOf(url),
    port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
    secureContext: proxy.isHttps ? proxyTrust() : undefined,
    ...(connectMs > 0 && { signal: AbortSignal.timeout(connectMs) }),
  });
}

/** A connector for what is trusted now. */
function trusting(build: (more: object) => Connector, trust: TlsTrust): Connector {
  let known: { readonly secureContext: ReturnType<TlsTrust>; readonly connect: Connector } | undefined;
  return (asked, done) => {
    const secureContext = asked.protocol === 'https:' ? trust() : undefined;
    if (known?.secureContext !== secureContext || known === undefined)
      known = { secureContext, connect: build(secureContext === undefined ? {} : { secureContext }) };
    return known.connect(asked, done);
  };
}

/** Tells a refusal for want of a client certificate from other ends of a connection. */
function heeding(connect: Connector, hasCertificate: boolean): Connector {
  return (asked, done) => {
    let wasAsked = false;
    const opening: unknown = connect(asked, (...result) => {
      if (result[0] === null) watchForRefusal(result[1], hasCertificate);
      else if (wasAsked && isEnd(result[0])) asRefusal(result[0], hasCertificate);
      done(...result);
    });
    // In TLS 1.2 the handshake itself fails, and afterwards the socket does not know any more.
    if (opening instanceof TLSSocket) opening.on('keylog', () => (wasAsked ||= isAsked(opening)));
  };
}

/** Whether it was the server that ended the handshake. */
function isEnd(error: Error): boolean {
  return /^ECONNRESET$|^ERR_SSL_.*_ALERT_/.test((error as NodeJS.ErrnoException).code ?? '');
}

/** Says how the server was tried to be reached, when the network does not. */
function explaining(done: Done, route: ProxyRoute): Done {
  return (...result: Parameters<Done>) => {
    if (result[0] === null) done(...result);
    else done(explained(result[0], route), null);
  };
}

function explained(error: Error, { proxy, why }: ProxyRoute): Error {
  const { code = '' } = error as NodeJS.ErrnoException;
  const words = transportWords(error);
  if (proxy !== undefined) return told(`the proxy ${proxy.name} cannot be reached: ${words}`, error);
  return why !== '' && NETWORK.has(code) ? told(`${words}, without a proxy${why}`, error) : error;
}
const NETWORK: ReadonlySet<string> = new Set([
  ...['ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'ECONNREFUSED', 'ECONNRESET', 'ENETUNREACH', 'EHOSTUNREACH'],
  'UND_ERR_CONNECT_TIMEOUT',
]);

function told(text: string, cause: Error): Error {
  return Object.assign(new Error(text, { cause }), { code: (cause as NodeJS.ErrnoException).code });
}
