import type { ToolTable } from 'pegboard';
import type { GuardedServers } from '../../contracts/credentials.ts';
import type { UpstreamConfig } from '../config.ts';
import type { CallersServers } from '../own/callersServers.ts';
import type { Fleet } from '../server/fleet.ts';
import { mayLearn } from './mayLearn.ts';
import { namesake } from './namesake.ts';

/** All servers, for the plugin that signs callers in. */
export function guardedServers(
  fleet: Pick<Fleet, 'all' | 'get'>,
  config: () => UpstreamConfig,
  table: () => Pick<ToolTable, 'hides'>,
  prepare: CallersServers['prepare'],
): GuardedServers {
  return {
    get: (name) => fleet.get(name)?.personal,
    all: () => fleet.all().map(({ personal }) => personal),
    lockedBehind: async (tool, request) => {
      const server = namesake(tool, fleet, config());
      if (server === undefined || !mayLearn({ server: server.name, tool }, table(), request))
        return undefined;
      const { personal } = server;
      const owner = personal.credentialOf(request)?.owner;
      if (owner === undefined) return undefined;
      await prepare(request);
      return personal.listOf(owner) === undefined ? personal : undefined;
    },
  };
}
