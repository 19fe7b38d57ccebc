import type { ToolTable } from 'pegboard';
import type { GuardedServers } from '../../contracts/credentials.ts';
import type { UpstreamConfig } from '../config.ts';
import type { CallersServers } from '../server/callersServers.ts';
import type { Fleet } from '../server/fleet.ts';
import { mayLearn } from './mayLearn.ts';
import { namesake } from './namesake.ts';

/** All servers, for the plugin that signs callers in. */
export function guardedServers(
  fleet: Pick<Fleet, 'all' | 'personal'>,
  config: () => UpstreamConfig,
  table: () => Pick<ToolTable, 'hides'>,
  prepare: CallersServers['prepare'],
): GuardedServers {
  return {
    get: (name) => fleet.personal(name),
    all: () => fleet.all().flatMap(({ name }) => fleet.personal(name) ?? []),
    lockedBehind: async (tool, request) => {
      const server = namesake(tool, fleet, config())?.name ?? '';
      if (!mayLearn({ server, tool }, table(), request)) return undefined;
      const personal = fleet.personal(server);
      const owner = personal?.credentialOf(request)?.owner;
      if (owner === undefined) return undefined;
      await prepare(request);
      return personal?.listOf(owner) === undefined ? personal : undefined;
    },
  };
}
