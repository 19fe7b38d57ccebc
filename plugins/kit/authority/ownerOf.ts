import { randomUUID } from 'node:crypto';
import type { Caller, InboundRequest } from 'pegboard';

/** A text that is equal for two callers if they are the same: a subject is unique within its issuer only.
 *  @returns undefined without a caller */
export function callerKey(caller: Caller): string;
export function callerKey(caller: Caller | undefined): string | undefined;
export function callerKey(caller: Caller | undefined): string | undefined {
  return caller && JSON.stringify([caller.issuer ?? null, caller.subject]);
}

/** The owner of the data that a request stores (runs, results, keys): the caller; without sign-in, the owner that the edge
 *  sets, else the session. A request with none of these gets a random name, so no other request shares its data. */
export function ownerOf(request: InboundRequest): string {
  const known = knownOwner(request);
  if (known !== undefined) return known;
  request.oneTimeOwner ??= randomUUID();
  return request.oneTimeOwner;
}

/** The key by which requests share a common resource equally: the owner, else the peer's address. */
export function sharerOf(request: InboundRequest): string {
  return knownOwner(request) ?? request.remoteAddress ?? request.transport;
}

/** The owner of the data that a request stores, if it has one that other requests may have too. */
export function knownOwner({ caller, anonymousOwner, sessionId }: InboundRequest): string | undefined {
  return callerKey(caller) ?? anonymousOwner ?? sessionId;
}
