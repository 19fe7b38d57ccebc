import type { UpstreamConfig } from '../config.ts';
import type { Fleet } from '../server/fleet.ts';
import type { Server } from '../server/server.ts';
import { isNamedAfter, namingOf } from './names.ts';

/** The server whose tools have such names; if several match, the one with the longest prefix. */
export function namesake(
  name: string,
  fleet: Pick<Fleet, 'all'>,
  config: UpstreamConfig,
): Server | undefined {
  const found = fleet.all().map((server) => ({ server, parts: namingOf(server, config) }));
  const [longest] = found
    .filter(({ parts }) => isNamedAfter(name, parts))
    .sort((a, b) => b.parts.prefix.length - a.parts.prefix.length);
  return longest?.server;
}
