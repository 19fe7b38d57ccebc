import type { InboundRequest } from 'pegboard';
import { callerKey } from '../../kit/authority/ownerOf.ts';
import type { Envelope } from './envelope.ts';

/** What the calls of one client without sessions have in common: its caller or the owner of its handle; without either, its address and
 *  the name that it gives itself. A proxy names the address; a client that adds to the header is only another client for that. */
export function clientIdOf(request: InboundRequest, { client }: Pick<Envelope, 'client'>): string {
  const owner = callerKey(request.caller) ?? request.anonymousOwner;
  if (owner !== undefined) return owner;
  const forwarded = request.header('x-forwarded-for') ?? request.header('forwarded');
  return JSON.stringify([request.remoteAddress ?? request.transport, forwarded, client]);
}
