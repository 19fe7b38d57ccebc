import { GatewayError } from 'pegboard';
import type { RemoteTransport, ServerOptions, Transport } from '../client/options.ts';
import { isTaken } from '../client/revision/handshake.ts';
import { isFinal } from '../client/revision/wrongRevision.ts';

/** The transports to try, in order. @param last what answered before to type auto */
export function transportsToTry(
  { type, revision }: Pick<ServerOptions, 'type' | 'revision'>,
  last: RemoteTransport | undefined,
): readonly Transport[] {
  if (type !== 'auto') return [type];
  // The older transport ended with the revisions before 2026-07-28.
  if (revision === 'modern') return ['streamable-http'];
  return last === 'sse' ? ['sse', 'streamable-http'] : ['streamable-http', 'sse'];
}

/** They ask for a credential, or for later or smaller requests, and say nothing of the transport. */
const ABOUT_REQUESTS: ReadonlySet<number> = new Set([401, 403, 407, 408, 425, 429, 431]);

/** Whether a server that answers so may speak the other transport. Source: MCP 2025-11-25, Transports, Backwards Compatibility */
export function mayBeOther(transport: Transport, error: GatewayError): boolean {
  const { code, details } = error;
  const { status = 0 } = details;
  if (status >= 400 && status < 500) return !ABOUT_REQUESTS.has(status) && !isTaken(error);
  // It has answered without an event stream.
  return transport === 'sse' && code === 'UPSTREAM_UNREACHABLE' && status >= 200 && status < 300;
}

/** The error of a server that speaks neither transport. */
export function overBoth(
  [one, refusal]: readonly [Transport, GatewayError],
  [other, error]: readonly [Transport, GatewayError],
): GatewayError {
  // A person has to sign in, or nothing helps.
  if (error.code === 'UPSTREAM_AUTH_REQUIRED' || isFinal(error)) return error;
  const text = `over ${one}: ${refusal.message}; over ${other}: ${error.message}`;
  return new GatewayError(error.code, text, { cause: error, details: error.details });
}
