import { lookup } from 'node:dns';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import { addressClass, isLoopbackHost, resolveHost } from 'pegboard/net';

/** Whether a host is this machine or its link by its name alone. @param host as hostOf() returns it */
export function isNearHost(host: string): boolean {
  return isLoopbackHost(host) || host.endsWith('.localhost') || (isIP(host) > 0 && isNear(host));
}

/** Finds addresses as the system does, but none of this machine or its link, where services take callers for its owner. */
export const farLookup: LookupFunction = (host, options, done) => {
  lookup(host, { ...options, all: true }, (error, found) => {
    const near = error === null ? found.find(({ address }) => isNear(address)) : undefined;
    const refusal =
      near && new Error(`${host} leads to ${near.address}, the gateway's own machine or its link`);
    if (error ?? refusal) done(error ?? refusal ?? null, '');
    else if (options.all === true) done(null, found);
    else done(null, found[0]?.address ?? '', found[0]?.family);
  });
};

/** The addresses of a host; in place of each of this machine or its link is one to which no request may go. */
export function farResolve(resolve = resolveHost): typeof resolveHost {
  return async (host) => (await resolve(host)).map((address) => (isNear(address) ? '0.0.0.0' : address));
}

function isNear(address: string): boolean {
  return ['loopback', 'link-local', 'unspecified', 'reserved'].includes(addressClass(address));
}
