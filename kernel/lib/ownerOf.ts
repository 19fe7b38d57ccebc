import { randomUUID } from 'node:crypto';
import type { Caller, InboundRequest } from '../contracts/request.ts';

/** Text that two callers share exactly when they are one: a subject is unique within its issuer only.
 *  @returns undefined without a caller */
export function callerKey(caller: Caller): string;
export function callerKey(caller: Caller | undefined): string | undefined;
export function callerKey(caller: Caller | undefined): string | undefined {
  return caller && JSON.stringify([caller.issuer ?? null, caller.subject]);
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
  return callerKey(caller) ?? anonymousOwner ?? sessionId;
}
