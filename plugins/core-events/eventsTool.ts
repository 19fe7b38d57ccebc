import { GatewayError, coreTool, messageOf, resultOf } from 'pegboard';
import type { Client, Tool } from 'pegboard';
import type { Archive } from './archive.ts';
import type { EventEntry } from './entryReader.ts';
import { EVENTS_ARGUMENTS, pageOf, readQuery } from './query.ts';
import type { EventPage, EventQuery } from './query.ts';
import type { Followers } from './followers.ts';
import type { Ring } from './ring.ts';

export interface EventParts {
  readonly ring: Ring;
  readonly archive: Archive;
  readonly followers: Followers;
}

/** The text is the array of events that clients of such services read; the structured content tells the page too. */
export function eventsTool(parts: EventParts): Tool {
  return coreTool({
    name: 'core_events',
    description:
      'List what happened to MCP servers and workflows, newest first: starts, stops, failures, runs and their steps',
    schema: EVENTS_ARGUMENTS,
    read: (args) => readQuery(args, Date.now()),
    run: async (query, { client }) => {
      // First, so that nothing is between the page and what is told.
      if (query.follow) parts.followers.add(listener(client), query.isAbout);
      const page = await found(query, parts);
      return resultOf({
        content: [{ type: 'text', text: JSON.stringify(page.events) }],
        structuredContent: page,
      });
    },
  });
}

/** @throws GatewayError TOOL_ARGUMENTS */
function listener(client: Client | undefined): Client {
  if (client?.hasSession === true) return client;
  throw new GatewayError(
    'TOOL_ARGUMENTS',
    'follow needs the session of a client; nobody would hear of it here',
  );
}

/** @throws GatewayError STORE_UNREACHABLE */
async function found(query: EventQuery, parts: EventParts): Promise<EventPage> {
  try {
    return await pageOf(newestFirst(parts), query);
  } catch (error) {
    const text = `Failed to query events: ${messageOf(error)}`;
    throw new GatewayError('STORE_UNREACHABLE', text, { cause: error });
  }
}

async function* newestFirst({ ring, archive }: EventParts): AsyncGenerator<EventEntry> {
  const inMemory = ring.newestFirst;
  yield* inMemory;
  yield* archive.olderThan(inMemory.at(-1)?.id);
}
