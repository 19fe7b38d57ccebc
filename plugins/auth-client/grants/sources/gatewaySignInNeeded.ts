import { GatewayError } from 'pegboard';

/** A server of single sign-on cannot be called: a sign-in at it would not help. @param why one clause */
export function gatewaySignInNeeded(server: string, why: string): GatewayError {
  return new GatewayError('UPSTREAM_AUTH_REQUIRED', `MCP server ${server} cannot be called for you: ${why}`, {
    details: { server },
  });
}
