import type { BlockList } from 'node:net';
import type { InboundRequest, Log } from 'pegboard';
import { addressOwner } from 'pegboard/net';
import { addressRanges } from '../../kit/http/addressRanges.ts';
import { forwardedRequest } from './forwardedRequest.ts';
import type { Doubt, ForwardedRequest } from './forwardedRequest.ts';

const KEY = 'aggregator.oauth.server.trustedProxyCIDRs';
const FIXES: Readonly<Record<Doubt, string>> = {
  untrusted: `if it is a proxy of yours, add it to ${KEY}`,
  contradictory: 'let the proxy remove of X-Forwarded-* and Forwarded the one that it does not set',
};

/** Where requests come from, for limits and the log. Forwarded headers that are not believed have one warning, since all people behind
 *  that proxy then are one address. */
export class ClientAddresses {
  readonly #baseUrl: () => string;
  readonly #log: Log;
  readonly #warned = new Set<Doubt>();
  #proxies: BlockList;

  /** @param cidrs `trustedProxyCIDRs` */
  constructor(cidrs: readonly string[], baseUrl: () => string, log: Log) {
    this.#baseUrl = baseUrl;
    this.#log = log;
    this.#proxies = addressRanges(cidrs);
  }

  /** Takes other proxies. */
  trust(cidrs: readonly string[]): void {
    this.#proxies = addressRanges(cidrs);
    this.#warned.clear();
  }

  /** What may precede the path in the client's URL. */
  originsOf(request: InboundRequest): readonly string[] {
    return this.#seen(request).origins;
  }

  /** The address whose limits count for the request; for IPv6 its /64 network. */
  of(request: InboundRequest): string {
    const { address, doubt } = this.#seen(request);
    if (doubt !== undefined) this.#warn(doubt, request);
    return addressOwner(address ?? request.transport);
  }

  /** What to set if others share the address, for a line about a limit that was exceeded. */
  fixOf(request: InboundRequest): { readonly fix?: string } {
    const { doubt } = this.#seen(request);
    return doubt === undefined ? {} : { fix: FIXES[doubt] };
  }

  #seen(request: InboundRequest): ForwardedRequest {
    return forwardedRequest(request, this.#proxies, this.#baseUrl());
  }

  #warn(doubt: Doubt, { remoteAddress: peer, id }: InboundRequest): void {
    if (this.#warned.has(doubt)) return;
    this.#warned.add(doubt);
    const text = 'forwarded headers are not believed: all people behind their sender share one rate limit';
    this.#log.warn(text, { peer, fix: FIXES[doubt], request: id });
  }
}
