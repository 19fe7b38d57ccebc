import { GatewayError } from 'pegboard';
import { cureFor } from '../record/grantFacts.ts';

/** A call needs what only a person can give. @param why one clause: what is missing; empty without more to say */
export function personNeeded(server: string, why: string, missingScopes?: readonly string[]): GatewayError {
  const reason = why === '' ? '' : `: ${why}`;
  return new GatewayError(
    'UPSTREAM_AUTH_REQUIRED',
    `MCP server ${server} requires you to sign in${reason}; ${cureFor(server)}`,
    { details: { server, signInAt: server, ...(missingScopes && { missingScopes }) } },
  );
}
