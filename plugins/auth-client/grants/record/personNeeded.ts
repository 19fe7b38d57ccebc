import type { GatewayError } from 'pegboard';
import { helpedBy } from '../../../kit/faults/remedy.ts';
import { cureFor } from './grantFacts.ts';

/** A call needs what only a person can give. @param why one clause: what is missing; empty without more to say */
export function personNeeded(server: string, why: string, missingScopes?: readonly string[]): GatewayError {
  const reason = why === '' ? '' : `: ${why}`;
  const facts = { server, signInAt: server, ...(missingScopes && { missingScopes }) };
  return helpedBy({ do: 'signIn', server }, 'UPSTREAM_AUTH_REQUIRED', demandOf(server) + reason, facts);
}

/** What is missing, without the demand and the call that would be its cure: for a person who is at it already. */
export function lackIn({ message }: GatewayError, server: string): string {
  return message.replace(`${demandOf(server)}: `, '').replace(`; ${cureFor(server)}`, '');
}

function demandOf(server: string): string {
  return `MCP server ${server} requires you to sign in`;
}
