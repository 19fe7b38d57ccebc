import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import {
  GuardedFetchError,
  guardedFetch,
  hostClasses,
  hostOf,
  isLeftToProxy,
  isLoopbackHost,
} from 'pegboard/net';
import type { AddressClass, GuardedFetch, GuardedFetchParts } from 'pegboard/net';
import type { SignInQuestion } from '../../contracts/signIns.ts';
import { farResolve } from '../../kit/http/farLookup.ts';
import { jsonIn } from '../../kit/text/jsonIn.ts';

const BOUNDS = { timeoutMs: 10_000, maxBytes: 65_536 } as const;
const INSIDE: readonly AddressClass[] = ['loopback', 'private', 'link-local'];

/** Why it is not known where people sign in. The message names the URL and what is wrong there. */
export class SignInFault extends Error {}

/** How requests leave this gateway. */
export interface Outside extends Pick<GuardedFetchParts, 'trust' | 'proxies' | 'resolve' | 'dial'> {
  /** The time-out of one request, in tests. */
  readonly timeoutMs?: number;
}
/** A document, or why the place does not have it. */
export type Read = { readonly document: JsonObject } | { readonly absent: string };

/** The networks of all servers. */
export class Networks {
  readonly #outside: Outside;
  readonly #signal: AbortSignal;

  /** @param signal ends requests that no other one ends */
  constructor(outside: Outside, signal: AbortSignal) {
    this.#outside = outside;
    this.#signal = signal;
  }

  /** The address that the operator has configured decides what others may be private. @param issuer that is pinned */
  of(
    { url, issuer, isFar }: Pick<SignInQuestion, 'url' | 'issuer' | 'isFar'>,
    signal = this.#signal,
  ): Network {
    const outside = this.#outside;
    const far = isFar && { resolve: farResolve(outside.resolve) };
    return new Network(new URL(issuer ?? url), signal, { ...outside, ...far });
  }
}

/** Requests to addresses that an MCP server, or its authorization server, has named. They may be private only if the server is
 *  at a private address too: on its host, or for both on this machine. Redirects are not followed. */
export class Network {
  readonly server: URL;
  readonly #signal: AbortSignal;
  readonly #outside: Outside;
  #isInside: Promise<boolean> | undefined;

  constructor(server: URL, signal: AbortSignal, outside: Outside) {
    this.server = server;
    this.#signal = signal;
    this.#outside = outside;
  }

  /** @param isGuess whether no one has named this place: a page or a redirect then means that the document is not there
   *  @throws SignInFault, or the reason of the signal */
  async read(url: URL, isGuess: boolean): Promise<Read> {
    const allowPrivate = await this.#mayBePrivate(url);
    // Of what the server itself says over http, nothing is less sure than the 401.
    const allowHttp = url.origin === this.server.origin ? 'always' : 'loopback';
    const get = guardedFetch({ ...BOUNDS, ...this.#outside, allowPrivate, allowHttp });
    const headers = { accept: 'application/json' };
    try {
      const response = await get(url, { headers, signal: this.#signal });
      const { status } = response;
      if (status >= 400 && status < 500) return { absent: `HTTP ${status}` };
      if (status !== 200) throw new SignInFault(`${shownAddress(url)} answers HTTP ${status}`);
      const document = jsonIn(await response.text());
      if (isObject(document)) return { document };
      if (isGuess) return { absent: 'not JSON' };
      throw new SignInFault(`${shownAddress(url)} is not a JSON object`);
    } catch (error) {
      if (!(error instanceof GuardedFetchError)) throw error;
      if (isGuess && error.reason === 'redirect') return { absent: 'a redirect' };
      throw new SignInFault(`${shownAddress(url)} cannot be read: ${error.message}`);
    }
  }

  /** Sends what is secret to that URL: by https, or on this machine. @param timeoutMs of each request */
  async sender(url: URL, timeoutMs: number): Promise<GuardedFetch> {
    const allowPrivate = await this.#mayBePrivate(url);
    return guardedFetch({ ...BOUNDS, timeoutMs, ...this.#outside, allowPrivate, allowHttp: 'loopback' });
  }

  /** Refuses a URL that no request may go to, without a request. @param what it is, for people @throws SignInFault */
  async check(url: URL, what: string): Promise<void> {
    if (await this.#mayBePrivate(url)) return;
    const classes = await hostClasses(hostOf(url), this.#outside.resolve);
    if (classes.length === 0 && !isLeftToProxy(url, this.#outside.proxies?.()))
      throw new SignInFault(`${what} ${shownAddress(url)} cannot be resolved to an address`);
    if (classes.some((found) => found !== 'public'))
      throw new SignInFault(`${what} ${shownAddress(url)} has a private or internal address`);
  }

  async #mayBePrivate(url: URL): Promise<boolean> {
    const [own, asked] = [hostOf(this.server), hostOf(url)];
    if (own !== asked && !(isLoopbackHost(own) && isLoopbackHost(asked))) return false;
    this.#isInside ??= hostClasses(own, this.#outside.resolve).then(
      (classes) => classes.length > 0 && classes.every((found) => INSIDE.includes(found)),
    );
    return this.#isInside;
  }
}

/** Whether tokens and codes may be sent there. */
export function isSecure(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(hostOf(url)));
}

/** A URL in messages: without what may be secret. */
export function shownAddress({ origin, pathname }: URL): string {
  return `${origin}${pathname === '/' ? '' : pathname}`;
}
