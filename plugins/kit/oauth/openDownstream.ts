import type { Downstream, DownstreamOptions } from './downstream.ts';

/** Exchanges callers' tokens at other identity providers, with or without a broker in the configuration. The libraries are read at the
 *  first call: most gateways exchange nothing. */
export async function openDownstream(options: DownstreamOptions): Promise<Downstream> {
  return (await import('./downstream.ts')).Downstream.open(options);
}
