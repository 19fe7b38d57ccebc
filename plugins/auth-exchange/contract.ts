import type { SecureContext } from 'node:tls';
import type { Downstream, DownstreamParts } from './shared/downstream.ts';
import { NETWORK_BOUNDS } from './shared/networkBounds.ts';

export type { Downstream, DownstreamToken } from './shared/downstream.ts';
export type { ClientSecret, ExchangeTarget } from './shared/exchangeTarget.ts';

export interface DownstreamOptions extends Omit<DownstreamParts, 'fetch'> {
  /** Whether token endpoints may have private addresses. */
  readonly allowPrivate: boolean;
  /** Of `aggregator.extraCaFile`. */
  readonly trust: () => SecureContext | undefined;
}

/** Exchanges callers' tokens at other identity providers, with or without a broker in the configuration. The libraries are read at the
 *  first call: most gateways exchange nothing. */
export async function openDownstream({
  allowPrivate,
  trust,
  ...parts
}: DownstreamOptions): Promise<Downstream> {
  const [shared, net] = await Promise.all([import('./shared/downstream.ts'), import('pegboard/net')]);
  return new shared.Downstream({
    ...parts,
    fetch: net.guardedFetch({ ...NETWORK_BOUNDS, allowPrivate, trust }),
  });
}
