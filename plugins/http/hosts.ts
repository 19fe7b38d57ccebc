import type { IncomingMessage } from 'node:http';
import { GatewayError } from 'pegboard';
import type { HttpConfig } from './config.ts';
import { hostName, hostNames } from '../kit/http/hostNames.ts';

/** Health checks send any Host or none, and a page that reads these by DNS rebinding learns nothing. */
const PROBE = /^(?:https?:\/\/[^/?#]*)?\/(?:health|ready)(?:\?|$)/;

/** Refuses what a web page could send by DNS rebinding or from a foreign origin (MCP transports, Security Warning), and
 *  repeated headers, because proxies differ in which value they use.
 *  @returns undefined when Host and Origin are fine */
export type OriginCheck = (request: IncomingMessage) => GatewayError | undefined;

export function createOriginCheck({ host, allowedHosts, allowedOrigins }: HttpConfig): OriginCheck {
  const isOwn = hostNames(host, allowedHosts);
  const origins = new Set(allowedOrigins.map((origin) => origin.toLowerCase()));
  // Almost all requests of a connection name the same.
  let last: string | undefined;
  return ({ headers, rawHeaders, url }) => {
    const repeated = repeatedHeader(rawHeaders);
    if (repeated !== undefined)
      return new GatewayError('REQUEST_MALFORMED', `send the header ${repeated} once`);
    const host = authorityOf(url) ?? headers.host;
    const isOwnHost = host !== undefined && (host === last || isOwn(hostName(host)));
    if (isOwnHost) last = host;
    else if (!PROBE.test(url ?? '')) return badHost(hostName(host) ?? host);
    if (headers.origin === undefined) return undefined;
    const origin = headers.origin.toLowerCase();
    if (origins.has(origin) || (isOwnHost && isSameOrigin(origin, host))) return undefined;
    const fix = 'add it to plugins.http.config.allowedOrigins if it is yours';
    return new GatewayError('REQUEST_FORBIDDEN', `origin ${quoted(headers.origin)} is not allowed; ${fix}`);
  };
}

/** Headers that must not be repeated: node keeps the first value only, where another reader on the way may keep the last. */
const ONCE: readonly string[] = ['host', 'content-type', 'authorization'];

function repeatedHeader(rawHeaders: readonly string[]): string | undefined {
  return ONCE.find((name) => {
    let count = 0;
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const raw = rawHeaders[at] ?? '';
      if (raw.length === name.length && raw.toLowerCase() === name) count += 1;
    }
    return count > 1;
  });
}

/** A complete URL in the request line counts instead of Host (RFC 9112 §3.2.2). */
function authorityOf(url = '/'): string | undefined {
  return url.startsWith('/') ? undefined : /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1];
}

function badHost(host: string | undefined): GatewayError {
  const fix = 'use localhost, or add the name to plugins.http.config.allowedHosts';
  return new GatewayError('REQUEST_FORBIDDEN', `host ${quoted(host ?? '')} is not allowed; ${fix}`);
}

/** A proxy may have ended TLS. */
function isSameOrigin(origin: string, host = ''): boolean {
  const own = host.toLowerCase();
  return origin === `http://${own}` || origin === `https://${own}`;
}

/** Refuses what a page makes a browser send without an Origin: `<script src="http://localhost:8090/sse">`. A page may be of another port
 *  or name of the same site. Source: https://www.w3.org/TR/fetch-metadata/
 *  @throws GatewayError REQUEST_FORBIDDEN */
export function refuseOtherSites({ headers: { origin, 'sec-fetch-site': site } }: IncomingMessage): void {
  // An Origin that is not allowed was refused before.
  if (site === undefined || origin !== undefined || site === 'same-origin' || site === 'none') return;
  throw new GatewayError(
    'REQUEST_FORBIDDEN',
    'a page of another site has sent this (Sec-Fetch-Site); pages of plugins.http.config.allowedOrigins can call with fetch',
  );
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
