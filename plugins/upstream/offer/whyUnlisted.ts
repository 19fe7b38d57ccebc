import type { InboundRequest, Verdict } from 'pegboard';
import type { ToolsFailure } from '../client/conversation/listing.ts';
import { remedyBy } from '../../kit/faults/remedy.ts';
import { awayError } from '../connection/away.ts';
import type { Connection } from '../connection/connection.ts';
import type { Server } from '../server/server.ts';
import { listerFor } from './listerFor.ts';
import type { Offers } from './offers.ts';
import { mayHaveIt } from './serverOffer.ts';

const AGAIN = 'try again in a few seconds';

type Refusal = Omit<Verdict, 'layer' | 'allow'>;

/** What is wrong with the list of a server that offers no tool of that name; undefined if nothing is. */
export function whyUnlisted(
  server: Server,
  offers: Pick<Offers, 'leftOut' | 'report'>,
  { name, request }: { readonly name: string; readonly request: InboundRequest },
): Refusal | undefined {
  const { connection } = server;
  const missing = `tool not found: ${name}`;
  const fault = offers.leftOut(name, server.name, request);
  if (fault !== undefined) {
    const reason = `${missing}; server ${server.name} lists it, but it is left out as malformed: ${fault}`;
    return { code: 'TOOL_NOT_FOUND', reason, remedy: 'it must be mended at the server' };
  }
  const lister = listerFor(server, request);
  if (lister === connection) {
    const away = awayWords(connection);
    if (away !== undefined)
      return { code: 'TOOL_NOT_FOUND', reason: `${missing} in the last known list; ${away}` };
  }
  const failure = lister?.conversation.lists.toolsFailure;
  if (failure !== undefined) return unread(missing, server.name, failure);
  const gap = offers.report(server.name, request).partialLists.find((one) => one.includes('tools/list'));
  if (gap === undefined) return undefined;
  const reason = `${missing}; ${mayHaveIt(server.name, gap)}`;
  return { code: 'TOOL_NOT_FOUND', reason, ...remedyBy({ do: 'find', other: true }) };
}

/** Why the last known list may be outdated. */
function awayWords({ name, state, status, retry }: Connection): string | undefined {
  if (state === 'ready' || state === 'idle') return undefined;
  if (state === 'starting') return `server ${name} is connecting; ${AGAIN}`;
  return awayError(name, status.lastError, retry.at).message;
}

function unread(missing: string, server: string, { error, againAt }: ToolsFailure): Refusal {
  const reason = `${missing}; the tools of server ${server} could not be listed: ${error.message}`;
  const remedy =
    againAt === undefined
      ? `they are being listed now; ${AGAIN}`
      : `they are listed again at ${new Date(againAt).toISOString()}`;
  return { code: 'UPSTREAM_UNREACHABLE', reason, remedy };
}
