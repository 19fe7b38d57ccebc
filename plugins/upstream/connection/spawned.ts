import type { Confined, Grants, Spawned } from '../../contracts/servers.ts';
import { helpedBy } from '../../kit/faults/remedy.ts';
import type { UpstreamConfig } from '../config.ts';
import type { ServerDefinition } from '../definition.ts';
import type { UpstreamContext } from './context.ts';

/** The grants of a definition that has none. */
const NOTHING: Grants = { network: 'none' };

/** What is spawned for a definition: its own process, or what confines it.
 *  @throws GatewayError as Confinement.confine(); UPSTREAM_UNREACHABLE if no plugin confines */
export async function spawned(
  { config, confinement }: Pick<UpstreamContext, 'config' | 'confinement'>,
  {
    isolate = config().isolate,
    grants = NOTHING,
    image,
  }: Pick<ServerDefinition, 'isolate' | 'grants' | 'image'>,
  plain: Omit<Confined, 'isolate' | 'grants' | 'image'>,
): Promise<Spawned> {
  if (isolate === 'none') return plain;
  const by = confinement();
  if (by !== undefined) return by.confine({ ...plain, isolate, grants, image });
  const what = 'switch the plugin isolate on, or set isolate: none';
  const text = `the server is to run in isolate: ${isolate}, and no plugin that confines runs`;
  throw helpedBy({ do: 'say', what }, 'UPSTREAM_UNREACHABLE', text);
}

/** What keeps a server from the rest of the machine, for people: `none`, or how and what it is granted.
 *  @param inForce what its latest process has, if one was confined */
export function confinementOf(
  { isolate, grants = NOTHING }: Pick<ServerDefinition, 'isolate' | 'grants'>,
  config: Pick<UpstreamConfig, 'isolate'>,
  inForce: string | undefined,
): string {
  const how = isolate ?? config.isolate;
  if (how === 'none') return how;
  if (inForce !== undefined) return inForce;
  const files = (grants.files ?? []).map(({ path, mode }) => `${path} (${mode})`);
  const network = [grants.network].flat().join(', ') || 'no host';
  return [how, `network ${network}`, `files ${files.join(', ') || 'none'}`].join('; ');
}
