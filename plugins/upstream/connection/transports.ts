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

/** How long a server that may speak SSE has to name its endpoint: the standing stream of the other transport names none. */
const ENDPOINT_MS = 5_000;

/** How long the opening of a connection may take. */
export function openingMs(
  { type }: Pick<ServerOptions, 'type'>,
  transport: Transport,
  timeoutMs: number,
): number {
  return type === 'auto' && transport === 'sse' ? Math.min(timeoutMs, ENDPOINT_MS) : timeoutMs;
}

/** They ask for a credential, or for later or smaller requests, and say nothing of the transport. */
const ABOUT_REQUESTS: ReadonlySet<number> = new Set([401, 403, 407, 408, 425, 429, 431]);

/** Nothing answers at the address, over either transport. */
const NOBODY_THERE: ReadonlySet<unknown> = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH'],
]);

/** Whether a server that answers so may speak the other transport. Source: MCP 2025-11-25, Transports, Backwards Compatibility */
export function mayBeOther(transport: Transport, error: GatewayError): boolean {
  const { status = 0 } = error.details;
  if (isTaken(error)) return false;
  if (transport === 'sse') return isNoLonger(error);
  return status >= 400 && status < 500 && !ABOUT_REQUESTS.has(status);
}

/** Whether a server that spoke SSE may have changed: such a one may answer a GET in any way. */
function isNoLonger(error: GatewayError): boolean {
  const { code, details, cause } = error;
  const { status = 0, retryAfter } = details;
  if (code === 'UPSTREAM_AUTH_REQUIRED' || code === 'UPSTREAM_TIMEOUT' || isFinal(error)) return false;
  if (retryAfter !== undefined || NOBODY_THERE.has((cause as NodeJS.ErrnoException | undefined)?.code))
    return false;
  return status === 403 || !ABOUT_REQUESTS.has(status);
}

/** The error of a server that speaks neither transport: how it refused the first one is the cause. */
export function overBoth(
  [one, refusal]: readonly [Transport, GatewayError],
  [other, error]: readonly [Transport, GatewayError],
): GatewayError {
  // A person has to sign in, or nothing helps.
  if (error.code === 'UPSTREAM_AUTH_REQUIRED' || isFinal(error)) return error;
  const text = `over ${one}: ${refusal.message}; over ${other}: ${error.message}`;
  const { retryAfter } = error.details;
  const details = { ...(retryAfter !== undefined && { retryAfter }), ...refusal.details };
  return new GatewayError(refusal.code, text, { cause: refusal, details });
}
