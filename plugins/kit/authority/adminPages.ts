import type { InboundRequest } from 'pegboard';

/** The transport of requests that the admin pages make. */
export const ADMIN = 'admin';

/** Whether the operator makes the request, from the admin pages, without a sign-in. */
export function isOperator({ transport, caller }: InboundRequest): boolean {
  return transport === ADMIN && caller === undefined;
}
