import * as http from 'node:http';
import * as https from 'node:https';
import { isIP } from 'node:net';
import type { LookupFunction, Socket } from 'node:net';
import * as tls from 'node:tls';
import type { SecureContext } from 'node:tls';
import { addressClass, type AddressClass } from './addressClass.ts';
import { hostOf } from './hostClasses.ts';
import { authorizationFor, openTunnel } from './openTunnel.ts';
import { ProxyError, isLeftToProxy, proxyRoutes } from './proxyRoutes.ts';
import type { Proxy, ProxySettings, ProxyRoute } from './proxyRoutes.ts';
import { resolveHost } from './resolveHost.ts';

export interface GuardedFetchParts {
  /** Whether hosts may have private, loopback and link-local addresses. */
  readonly allowPrivate: boolean;
  /** The time for everything: resolution, redirects, and the response to its last byte. */
  readonly timeoutMs: number;
  /** Maximum bytes of the response's body. */
  readonly maxBytes: number;
  /** Maximum number of redirects that GET and HEAD follow; each hop is checked like the first URL. Default 0. */
  readonly maxRedirects?: number;
  /** Whether a redirect is the response, and none is followed. */
  readonly showsRedirects?: boolean;
  /** Default: those of the environment. */
  readonly proxies?: (() => ProxySettings) | undefined;
  /** What connections to a url trust and show, or without one those to a proxy; undefined: as Node.js does.
   *  @throws GatewayError CONFIG_UNREADABLE, whose message is kept */
  readonly trust?: (url?: URL) => Trust | undefined;
  /** Default `never`; `loopback`: if all addresses of the host are loopback. */
  readonly allowHttp?: 'never' | 'loopback' | 'always';
  /** The addresses of a host name. Default: as the system finds them. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  /** The address to connect to in place of a checked one, in tests. */
  readonly dial?: (address: string) => string;
}
/** Options of a TLS connection. */
export interface Trust {
  readonly secureContext?: SecureContext;
  /** The name in the certificate, if it is not the host. */
  readonly servername?: string;
}
export type GuardedFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export type GuardedFetchReason =
  | 'bad-url'
  | 'not-https'
  | 'unresolved'
  | 'private-address'
  | 'unreachable'
  | 'redirect'
  | 'encoding'
  | 'too-large'
  | 'timeout';

/** Why there is no response. The message names the host of the URL, never an address that it resolves to. */
export class GuardedFetchError extends Error {
  readonly reason: GuardedFetchReason;

  constructor(reason: GuardedFetchReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** A fetch for URLs that come from outside: connects only to addresses that it has checked, within bounds of time and size;
 *  decodes no content encoding, and reads the body before it returns. What a proxy is asked for was checked too: its name must
 *  resolve here, and to public addresses (decision D141). It always checks redirects itself, so
 *  `redirect` in `init` has no effect. @returns a fetch that throws GuardedFetchError, or the reason of an aborted `init.signal`
 *  Source: https://cheatsheetseries.owasp.org/cheatsheets/Server_Side_Request_Forgery_Prevention_Cheat_Sheet.html */
export function guardedFetch(parts: GuardedFetchParts): GuardedFetch {
  return async (given, init = {}) => {
    const { signal: callers, ...rest } = init;
    const first = checkedUrl(given, parts);
    const request = new Request(first, { ...rest, redirect: 'manual' });
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), parts.timeoutMs);
    try {
      const signal = AbortSignal.any(callers ? [late.signal, callers] : [late.signal]);
      const body = Buffer.from(await unlessAborted(request.arrayBuffer(), signal));
      return await follow(first, { request, body, signal, parts });
    } catch (error) {
      if (error instanceof GuardedFetchError) throw error;
      if (callers?.aborted === true) throw callers.reason;
      if (late.signal.aborted)
        throw new GuardedFetchError('timeout', `${first.host} did not answer within ${parts.timeoutMs} ms`);
      const { code, name, message } = error as Error & { readonly code?: string };
      if (error instanceof ProxyError || code === 'CONFIG_UNREADABLE')
        throw new GuardedFetchError('unreachable', message);
      // Its message would name the address.
      const fix = /CERT|^UNABLE_TO_VERIFY/.test(code ?? '') ? CERTIFICATE_FIX : '';
      throw new GuardedFetchError('unreachable', `no response from ${first.host}: ${code ?? name}${fix}`);
    } finally {
      clearTimeout(timer);
    }
  };
}

/** Words that follow a code of OpenSSL or Node.js about a certificate. */
const CERTIFICATE_FIX =
  '; aggregator.extraCaFile and aggregator.oauth.tls say what is trusted and shown there';

interface Exchange {
  readonly request: Request;
  readonly body: Buffer;
  readonly signal: AbortSignal;
  readonly parts: GuardedFetchParts;
}

async function follow(first: URL, exchange: Exchange): Promise<Response> {
  const { request, parts, signal } = exchange;
  let url = first;
  let isSameOrigin = true;
  for (let left = parts.maxRedirects ?? 0; ; left -= 1) {
    const addresses = await checkedAddresses(url, parts, signal);
    const headers = headersFor(request, isSameOrigin);
    const { proxy } = routeTo(url, addresses, parts);
    const message = await (proxy === undefined
      ? send(url, addresses, headers, exchange)
      : sendThrough(proxy, url, headers, exchange));
    const location = redirectOf(message);
    if (location === undefined || parts.showsRedirects === true)
      return await read(message, url, parts.maxBytes);
    message.destroy();
    const mayFollow = left > 0 && ['GET', 'HEAD'].includes(request.method);
    if (!mayFollow || !URL.canParse(location, url.href))
      throw new GuardedFetchError('redirect', `${url.host} redirects, which is not followed here`);
    url = checkedUrl(new URL(location, url), parts);
    isSameOrigin &&= url.origin === first.origin;
  }
}

function checkedUrl(given: string | URL, { allowHttp = 'never' }: GuardedFetchParts): URL {
  if (!URL.canParse(given.toString())) throw new GuardedFetchError('bad-url', 'it is not a URL');
  const url = new URL(given);
  if (url.username !== '' || url.password !== '')
    throw new GuardedFetchError('bad-url', 'user information in a URL is not allowed');
  if (url.protocol !== 'https:' && (url.protocol !== 'http:' || allowHttp === 'never'))
    throw new GuardedFetchError('not-https', `${url.protocol} is not allowed, only https:`);
  // With it, the names in certificates would not match.
  url.hostname = url.hostname.replace(/\.$/, '');
  return url;
}

/** All must be good: one bad address refuses the host. */
async function checkedAddresses(
  url: URL,
  parts: GuardedFetchParts,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { allowPrivate, allowHttp, resolve = resolveHost } = parts;
  const host = hostOf(url);
  const addresses =
    isIP(host) > 0
      ? [host]
      : await unlessAborted(
          resolve(host).catch(() => []),
          signal,
        );
  if (addresses.length === 0) {
    if (isLeftToProxy(url, parts.proxies?.(), allowPrivate)) return [];
    const fix = routeTo(url, addresses, parts).proxy === undefined ? '' : `${HERE}; ${LEAVE_IT}`;
    throw new GuardedFetchError('unresolved', `${url.host} cannot be resolved to an address${fix}`);
  }
  const open: readonly AddressClass[] = allowPrivate
    ? ['public', 'loopback', 'private', 'link-local']
    : ['public'];
  const classes = addresses.map(addressClass);
  if (!classes.every((found) => open.includes(found)))
    throw new GuardedFetchError('private-address', `${url.host} has a private or internal address`);
  const isLoopback = classes.every((found) => found === 'loopback');
  if (url.protocol === 'http:' && allowHttp !== 'always' && !isLoopback)
    throw new GuardedFetchError('not-https', `http: is allowed for loopback addresses only, not ${url.host}`);
  return addresses;
}

const HERE = ' here, so that it may be a private one';
const LEAVE_IT = 'if the proxy refuses those, set aggregator.proxyResolves: true';

/** This machine is never reached through a proxy. @throws ProxyError */
function routeTo(url: URL, addresses: readonly string[], { proxies }: GuardedFetchParts): ProxyRoute {
  const isHere = addresses.length > 0 && addresses.every((one) => addressClass(one) === 'loopback');
  return isHere ? { proxy: undefined, why: '' } : proxyRoutes(proxies?.())(url);
}

/** The proxy gets the name, by which its own rules go: what answers must have a certificate for it. */
async function sendThrough(
  proxy: Proxy,
  url: URL,
  headers: Headers,
  { request, body, signal, parts: { trust } }: Exchange,
): Promise<http.IncomingMessage> {
  const common = { method: request.method, headers: Object.fromEntries(headers), signal };
  if (url.protocol === 'https:' || proxy.isSocks) {
    const isHttps = url.protocol === 'https:';
    const [host, port] = [hostOf(url), Number(url.port) || (isHttps ? 443 : 80)];
    const socket = await openTunnel(proxy, { host, port, signal, ...trust?.() });
    const servername = isIP(host) > 0 ? '' : host;
    const createConnection = (): Socket =>
      isHttps ? tls.connect({ socket, servername, ...trust?.(url), rejectUnauthorized: true }) : socket;
    return ended((isHttps ? https : http).request(url, { ...common, createConnection }), body);
  }
  const own = { ...common.headers, host: url.host, ...authorizationFor(proxy) };
  const options = { ...common, headers: own, path: url.href, agent: false, ...trust?.() };
  const place = { host: proxy.host, port: proxy.port };
  return ended((proxy.isHttps ? https : http).request({ ...options, ...place }), body);
}

/** Connects to one of these addresses; the name stays in the Host header and in TLS. */
function send(
  url: URL,
  addresses: readonly string[],
  headers: Headers,
  { request, body, signal, parts: { dial = (address) => address, trust } }: Exchange,
): Promise<http.IncomingMessage> {
  const pinned = addresses.map(dial).map((address) => ({ address, family: isIP(address) }));
  const lookup: LookupFunction = (_host, { all }, done) => {
    if (all === true) done(null, pinned);
    else done(null, pinned[0]?.address ?? '', pinned[0]?.family);
  };
  const options: https.RequestOptions = {
    method: request.method,
    headers: Object.fromEntries(headers),
    lookup,
    signal,
    // An own connection: one in a pool could have been opened to another address, or by a proxy.
    agent: false,
    ...trust?.(url),
    rejectUnauthorized: true,
  };
  return ended((url.protocol === 'https:' ? https : http).request(url, options), body);
}

function ended(sent: http.ClientRequest, body: Buffer): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.on('response', resolve).on('error', reject);
    sent.end(body.length > 0 ? body : undefined);
  });
}

/** @param isSameOrigin whether all hops were: only then the receiver may get credentials and all the rest */
function headersFor(request: Request, isSameOrigin: boolean): Headers {
  const names = [...request.headers.keys()].filter((name) => isSameOrigin || name === 'accept');
  const headers = new Headers(names.map((name) => [name, request.headers.get(name) ?? '']));
  if (!headers.has('user-agent')) headers.set('user-agent', 'pegboard');
  headers.set('accept-encoding', 'identity');
  headers.delete('host');
  headers.delete('content-length');
  return headers;
}

function redirectOf({ statusCode = 0, headers }: http.IncomingMessage): string | undefined {
  return [301, 302, 303, 307, 308].includes(statusCode) ? headers.location : undefined;
}

async function read(message: http.IncomingMessage, url: URL, maxBytes: number): Promise<Response> {
  try {
    if ((message.headers['content-encoding'] ?? 'identity') !== 'identity')
      throw new GuardedFetchError('encoding', `the response of ${url.host} has a content encoding`);
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of message as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes)
        throw new GuardedFetchError('too-large', `the response of ${url.host} is over ${maxBytes} bytes`);
      chunks.push(chunk);
    }
    const headers = new Headers();
    for (const [name, values = []] of Object.entries(message.headersDistinct))
      for (const value of values) headers.append(name, value);
    const { statusCode: status = 0, statusMessage: statusText = '' } = message;
    const hasBody = ![204, 205, 304].includes(status);
    return new Response(hasBody ? Buffer.concat(chunks) : null, { status, statusText, headers });
  } finally {
    message.destroy();
  }
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(new Error('aborted'));
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
  });
  return await Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', stop));
}
