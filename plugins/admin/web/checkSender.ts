import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { GatewayError } from 'pegboard';
import { isLoopbackHost } from 'pegboard/net';
import type { Authority } from '../../contracts/operators.ts';
import { WHO_OPERATES, suffices } from '../../kit/authority/authority.ts';
import { shown } from '../../kit/pages/words.ts';
import type { Visitor } from './definePage.ts';

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

export interface AdminAddress {
  readonly bindAddress: string;
  readonly port: number;
  /** Where people sign in: the only address of the pages. */
  readonly baseUrl?: string;
}

/** Only the listener's own names and port: a page elsewhere could make its name lead here (DNS rebinding).
 *  @throws GatewayError REQUEST_FORBIDDEN */
export function checkHost(
  { headers: { host = '' } }: IncomingMessage,
  { bindAddress, port, baseUrl }: AdminAddress,
): void {
  if (baseUrl !== undefined) {
    if (host.toLowerCase() === new URL(baseUrl).host) return;
    throw refused(`host ${quoted(host)} is not that of the admin pages; open ${baseUrl}/`);
  }
  const [, name = '', own = '80'] = /^(\[[\da-f:.]+\]|[^\s:/@[\]]+)(?::(\d{1,5}))?$/.exec(host) ?? [];
  const isWide = !isLoopbackHost(bindAddress);
  // An address in Host cannot come from DNS rebinding, which needs a name.
  const isKnown = [...LOOPBACK, bindAddress].includes(name) || (isWide && isAddress(name));
  if (isKnown && Number(own) === port) return;
  throw refused(`host ${quoted(host)} is not an address of the admin pages; open http://localhost:${port}/`);
}

/** What changes something is refused if a page elsewhere has sent it. Tools such as curl send none of these headers.
 *  @returns whether a browser has sent it @throws GatewayError REQUEST_FORBIDDEN  Source: RFC 6454 §7; https://www.w3.org/TR/fetch-metadata/ */
export function checkOrigin({ headers }: IncomingMessage, baseUrl?: string): boolean {
  const { origin, host = '', 'sec-fetch-site': site } = headers;
  const own = baseUrl ?? `http://${host}`;
  if (origin !== undefined && origin !== own)
    throw refused(`origin ${quoted(origin)} is not the admin page; open it at ${own}/ and try again`);
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    throw refused('a page of another site has sent this; open the admin page and try again');
  return origin !== undefined || Object.keys(headers).some((name) => name.startsWith('sec-fetch-'));
}

/** @throws GatewayError REQUEST_FORBIDDEN if the person does not hold that */
export function checkAuthority(visitor: Visitor, taken: Authority): void {
  if (!suffices(visitor.authority, taken)) throw refused(whyNot(visitor, taken));
}

/** Why a person who does not hold that is refused. */
export function whyNot({ shown: who, authority }: Visitor, taken: Authority): string {
  return `${shown(who, 60)} holds ${authority} here, and this takes ${taken}; ${WHO_OPERATES}`;
}

function isAddress(name: string): boolean {
  return isIP(name.replace(/^\[|\]$/g, '')) > 0;
}

function quoted(text: string | readonly string[]): string {
  return JSON.stringify(text.slice(0, 100));
}

function refused(text: string): GatewayError {
  return new GatewayError('REQUEST_FORBIDDEN', text);
}
