import type { InboundRequest } from 'pegboard';

/** The transport of requests that the admin pages make. */
export const ADMIN = 'admin';

/** Whether an operator makes the request, from the admin pages: without a sign-in, or as an operator who has signed in there. Not where
 *  the request asks what another one may do. */
export function isOperator({ transport, caller, actor }: InboundRequest): boolean {
  if (transport !== ADMIN) return false;
  return actor === undefined ? caller === undefined : actor.authority !== 'use' && actor.caller === caller;
}
