import { randomUUID } from 'node:crypto';
import type { Caller, InboundRequest } from '../contracts/request.ts';

/** Text that two callers share exactly when they are one: a subject is unique within its issuer only. */
export function callerKey({ issuer, subject }: Caller): string {
  return JSON.stringify([issuer ?? null, subject]);
}

/** Whose is what a request leaves behind (runs, results, keys): the caller's, without sign-in whom its edge names, else the
 *  session's. A request of which nothing is known gets a name of its own: nobody comes back for what it left by chance. */
export function ownerOf(request: InboundRequest): string {
  const known = knownOwner(request);
  if (known !== undefined) return known;
  request.oneTimeOwner ??= randomUUID();
  return request.oneTimeOwner;
}

/** Who draws on what all share, for equal parts: the owner; of requests of which nothing is known, all from one address. */
export function sharerOf(request: InboundRequest): string {
  return knownOwner(request) ?? request.remoteAddress ?? request.transport;
}

function knownOwner({ caller, anonymousOwner, sessionId }: InboundRequest): string | undefined {
  return caller === undefined ? (anonymousOwner ?? sessionId) : callerKey(caller);
}
