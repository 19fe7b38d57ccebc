import type { InboundRequest, Reply } from 'pegboard';
import { statusOf } from '../kit/http/statusOf.ts';
import type { Front, StatelessFront } from '../contracts/mcp.ts';
import type { Session } from '../contracts/sessions.ts';
import { refusal, rpcRefusal, sessionNotFound } from './refusals.ts';

const JSON_TYPE = 'application/json';
const STREAM_TYPE = 'text/event-stream';
/** What MCP tells clients to send. */
const BOTH = `${JSON_TYPE}, ${STREAM_TYPE}`;

/** @returns whether the answer may be an event stream: a client that accepts JSON alone gets JSON
 *  @throws GatewayError REQUEST_NOT_ACCEPTABLE, REQUEST_MEDIA_TYPE */
export function checkPostHeaders(request: InboundRequest): boolean {
  const accept = request.header('accept');
  const mayStream = accept === BOTH || accepts(accept, STREAM_TYPE);
  const needsStream = request.header('mcp-method') === 'subscriptions/listen';
  if ((needsStream && !mayStream) || (accept !== BOTH && !accepts(accept, JSON_TYPE)))
    throw refusal('REQUEST_NOT_ACCEPTABLE', `send the header Accept: ${BOTH}`);
  const type = request.header('content-type') ?? '';
  if (type !== JSON_TYPE && !/^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(type)) {
    throw refusal('REQUEST_MEDIA_TYPE', 'send the header Content-Type: application/json (UTF-8)');
  }
  return mayStream;
}

/** @throws GatewayError REQUEST_NOT_ACCEPTABLE */
export function checkStreamHeaders(request: InboundRequest): void {
  if (!accepts(request.header('accept'), STREAM_TYPE))
    throw refusal('REQUEST_NOT_ACCEPTABLE', `send the header Accept: ${STREAM_TYPE}`);
}

/** Whether the client accepts the type: the range that names it most closely decides, and without any header all are accepted.
 *  Source: RFC 9110 §12.5.1 */
function accepts(header: string | undefined, type: string): boolean {
  if (header === undefined || header.trim() === '') return true;
  const ranges = header
    .toLowerCase()
    .split(',')
    .map((range) => range.split(';').map((part) => part.trim()));
  const find = (wanted: string): readonly string[] | undefined => ranges.find(([range]) => range === wanted);
  const range = find(type) ?? find(type.replace(/\/.*/, '/*')) ?? find('*/*');
  return range !== undefined && !range.slice(1).some((part) => /^q\s*=\s*0(\.0*)?$/.test(part));
}

/** The session named by Mcp-Session-Id. @throws GatewayError REQUEST_NOT_FOUND if the handle does not open */
export function sessionOf(front: Front, request: InboundRequest): Session | undefined {
  const handle = request.header('mcp-session-id');
  if (handle === undefined) return undefined;
  const session = front.resume(handle, request);
  if (session !== undefined) return session;
  if (handle.includes(',')) throw refusal('REQUEST_MALFORMED', 'send the header Mcp-Session-Id once');
  throw sessionNotFound();
}

/** @throws GatewayError REQUEST_MALFORMED, REQUEST_NOT_FOUND */
export function requiredSession(front: Front, request: InboundRequest): Session {
  const session = sessionOf(front, request);
  if (session !== undefined) return session;
  throw refusal('REQUEST_MALFORMED', 'the header Mcp-Session-Id is missing; the answer to initialize has it');
}

/** Refuses all methods but POST where there are no sessions. Source: MCP 2026-07-28, Earlier Streamable HTTP Revisions; RFC 9110 §15.5.6.
 *  @returns undefined if the request is of a revision with sessions */
export function postOnly({ revisions }: StatelessFront, request: InboundRequest): Reply | undefined {
  const named = request.header('mcp-protocol-version');
  if (named === undefined || !revisions.includes(named)) return undefined;
  const text = `revision ${named} has POST only; listen with subscriptions/listen`;
  const refused = refusal('REQUEST_METHOD', text);
  return { status: statusOf(refused.code), headers: { allow: 'POST' }, body: rpcRefusal(refused) };
}

/** A missing header is allowed (some clients never send it), and so is a revision that is known, but not the session's, which continues
 *  as agreed; an unknown one gets 400, so that newer clients fall back. Source: MCP 2025-06-18, Protocol Version Header.
 *  @param differs gets one that is not the session's @throws GatewayError REQUEST_MALFORMED */
export function checkRevision(
  { front, differs }: { readonly front: Front; readonly differs: (named: string, agreed: string) => void },
  request: InboundRequest,
  session: Session | undefined,
): void {
  const named = request.header('mcp-protocol-version');
  if (named === undefined || named === session?.revision) return;
  if (session !== undefined && front.revisions.includes(named)) {
    differs(named, session.revision);
    return;
  }
  if (front.revisions.includes(named)) return;
  const known = front.revisions.join(', ');
  const text = `Unsupported protocol version: ${JSON.stringify(named.slice(0, 40))} (supported versions: ${known})`;
  throw refusal('REQUEST_MALFORMED', text);
}
