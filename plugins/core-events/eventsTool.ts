import { GatewayError, coreTool, messageOf, resultOf } from 'pegboard';
import type { Client, Tool } from 'pegboard';
import type { Archive } from './archive.ts';
import { readerOf } from './entryReader.ts';
import type { EventEntry, ReaderKey } from './entryReader.ts';
import { EVENTS_ARGUMENTS, pageOf, readQuery } from './query.ts';
import type { EventPage, EventQuery } from './query.ts';
import type { Follow, Followers } from './followers.ts';
import type { Ring } from './ring.ts';

/** The text content is the array of events, which existing clients parse; the structured content also has the page. */
export function eventsTool(ring: Ring, archive: Archive, followers: Followers): Tool {
  return coreTool({
    name: 'core_events',
    authority: 'use',
    description:
      'List what happened to MCP servers and workflows, newest first: starts, stops, failures, runs, steps',
    schema: EVENTS_ARGUMENTS,
    read: (args) => readQuery(args, Date.now()),
    run: async (query, { client, request }) => {
      const reader = readerOf(request);
      // Before the page is read, so that no event is missed between the page and the notifications.
      if (query.follow) await followers.add(sessionOf(client), followOf(query, reader));
      const page = await found(query, newestFirst(ring, archive), reader);
      return resultOf({
        content: [{ type: 'text', text: JSON.stringify(page.events) }],
        structuredContent: page,
      });
    },
  });
}

function followOf({ fields }: EventQuery, reader: ReaderKey): Follow {
  return { fields, ...(reader !== undefined && { reader }) };
}

/** @throws GatewayError TOOL_ARGUMENTS */
function sessionOf(client: Client | undefined): string {
  if (client?.hasSession === true) return client.id;
  throw new GatewayError('TOOL_ARGUMENTS', 'follow needs a client with a session, which receives the events');
}

/** @throws GatewayError STORE_UNREACHABLE */
async function found(
  query: EventQuery,
  entries: AsyncIterable<EventEntry>,
  reader: ReaderKey,
): Promise<EventPage> {
  try {
    return await pageOf(entries, query, reader);
  } catch (error) {
    const text = `Failed to query events: ${messageOf(error)}`;
    throw new GatewayError('STORE_UNREACHABLE', text, { cause: error });
  }
}

async function* newestFirst(ring: Ring, archive: Archive): AsyncGenerator<EventEntry> {
  if (archive.isShared) {
    yield* await archive.ofAllProcesses();
    return;
  }
  const inMemory = ring.newestFirst;
  yield* inMemory;
  yield* archive.olderThan(inMemory.at(-1)?.id);
}
