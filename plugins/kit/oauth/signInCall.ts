import { GatewayError } from 'pegboard';
import { actionWords } from '../faults/action.ts';

/** The next step of a caller who has to sign in at a server. */
export function signInCall(server: string): string {
  return actionWords({ do: 'signIn', server }, 'agent');
}

/** What lets callers sign in at servers. */
export const ENABLE_SIGN_INS = 'set aggregator.oauth.mcpClient.enabled to true';

/** The error, and the key that lets callers sign in. Each layer that an error passes may ask. */
export function namingSwitch(error: GatewayError): GatewayError {
  if (error.message.endsWith(ENABLE_SIGN_INS)) return error;
  const text = `${error.message}; for sign-ins of callers there, ${ENABLE_SIGN_INS}`;
  return new GatewayError(error.code, text, { details: error.details, cause: error });
}
