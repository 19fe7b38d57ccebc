import { waitAtMost } from 'pegboard';
import type { InboundRequest, ToolTable } from 'pegboard';
import type { UpstreamConfig } from '../config.ts';
import { LIST_NAMES } from '../client/conversation/readList.ts';
import type { StartingServers } from '../../contracts/servers.ts';
import type { Connection } from '../connection/connection.ts';
import type { Fleet } from '../server/fleet.ts';
import { isNamedAfter, namingOf } from './names.ts';
import { listerFor } from './listerFor.ts';
import { namesake } from './namesake.ts';

/** How long a call to an unknown name waits for the list of its server. */
const LOOK_MS = 5_000;

/** The servers that connect for the first time and have no stored catalogue. */
export function startingServers(
  config: () => UpstreamConfig,
  fleet: Pick<Fleet, 'all'>,
  table: () => Pick<ToolTable, 'refusal'>,
): StartingServers {
  const connections = (): readonly Connection[] => fleet.all().map(({ connection }) => connection);
  const starting = (): readonly Connection[] => connections().filter(isStartingUnknown);
  const visibleOf = (servers: readonly Connection[], request: InboundRequest): readonly string[] =>
    servers
      .map(({ name }) => name)
      .filter((name) => table().refusal(name, { kind: 'server', name, server: name }, request) === undefined);
  return {
    names: (request) => visibleOf(starting(), request),
    unlisted: (request) => visibleOf(connections().filter(isUnlisted), request),
    settled: async (tool) => {
      const awaited = starting().filter(
        (connection) => tool === undefined || isNamedAfter(tool, namingOf(connection, config())),
      );
      if (tool !== undefined) for (const connection of awaited) connection.hurry();
      // What a runner installs is not waited for longer than for any server.
      const soon = (one: Connection): Promise<void> =>
        tool === undefined ? one.settled() : waitAtMost(one.definition.timeoutMs, one.settled());
      await Promise.all(awaited.map(soon));
    },
    lookedAgain: async (tool, request) => {
      const server = namesake(tool, fleet, config());
      const lister = server && listerFor(server, request);
      if (lister?.status.state === 'ready') await waitAtMost(LOOK_MS, lister.conversation.lists.lookAgain());
    },
  };
}

/** Whether the server is starting and has no stored catalogue. */
export function isStartingUnknown({ state, listing }: Connection): boolean {
  return state === 'starting' && isUnknown({ listing });
}

function isUnlisted(connection: Connection): boolean {
  const { isWanted, state, conversation } = connection;
  if (!isWanted || !isUnknown(connection)) return false;
  return state === 'failed' || state === 'unreachable' || conversation.lists.toolsFailure !== undefined;
}

export function isUnknown({ listing }: Pick<Connection, 'listing'>): boolean {
  return LIST_NAMES.every((name) => listing[name].length === 0);
}
