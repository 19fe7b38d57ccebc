import type { GuardedServers } from '../../auth-client/contract.ts';
import type { UpstreamConfig } from '../config.ts';
import type { CallersServers } from '../server/callersServers.ts';
import type { Fleet } from '../server/fleet.ts';
import { namesake } from './namesake.ts';

/** All servers, for the plugin that signs callers in. */
export function guardedServers(
  fleet: Pick<Fleet, 'all' | 'personal'>,
  config: () => UpstreamConfig,
  prepare: CallersServers['prepare'],
): GuardedServers {
  return {
    get: (name) => fleet.personal(name),
    all: () => fleet.all().flatMap(({ name }) => fleet.personal(name) ?? []),
    lockedBehind: async (tool, request) => {
      const personal = fleet.personal(namesake(tool, fleet, config())?.name ?? '');
      const owner = personal?.credentialOf(request)?.owner;
      if (owner === undefined) return undefined;
      await prepare(request);
      return personal?.listOf(owner) === undefined ? personal : undefined;
    },
  };
}
