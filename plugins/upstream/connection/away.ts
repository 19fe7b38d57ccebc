import { GatewayError } from 'pegboard';
import { actionWords } from '../../kit/faults/action.ts';
import { actionAt, helpedBy } from '../../kit/faults/remedy.ts';
import type { State, StatusFacts } from './serverStatus.ts';

/** Why a call cannot be made now, and the time of the next attempt. @param retryAt ms since the epoch */
export function awayError(
  server: string,
  error: GatewayError | undefined,
  retryAt: number | undefined,
): GatewayError {
  const retry = retryAt === undefined ? undefined : new Date(retryAt).toISOString();
  const start = { do: 'start', server, again: true } as const;
  const known = error?.details.action && actionAt(error.details.action, server);
  const action = known ?? (retry === undefined ? start : undefined);
  const again = known === undefined ? `; ${actionWords(start, 'agent')}` : '';
  const next = retry === undefined ? again : `; the next attempt is at ${retry}`;
  const code = error?.code === 'UPSTREAM_AUTH_REQUIRED' ? error.code : 'UPSTREAM_UNREACHABLE';
  const reason = error?.message ?? 'it is not connected';
  const { status, challenges, signInAt } = error?.code === 'UPSTREAM_AUTH_REQUIRED' ? error.details : {};
  return new GatewayError(code, `server ${server} is away: ${reason}${next}`, {
    details: {
      server,
      ...(action && { action }),
      ...(retry !== undefined && { nextRetryAfter: retry }),
      ...(status !== undefined && { status }),
      ...(challenges && { challenges }),
      ...(signInAt !== undefined && { signInAt }),
    },
  });
}

/** The facts that decide whether a server can be called. */
export interface Callable {
  readonly name: string;
  readonly isWanted: boolean;
  readonly status: StatusFacts;
  readonly retry: { readonly at: number | undefined; readonly isSoon: boolean };
}

/** Why a call cannot wait for a connection now; undefined if it can. */
export function awayRefusal({
  name,
  isWanted,
  status: { state, lastError },
  retry,
}: Callable): GatewayError | undefined {
  if (!isWanted) return stoppedError(name, state);
  const isOver = state === 'failed' || state === 'auth_required';
  if (retry.isSoon || (retry.at === undefined && !isOver)) return undefined;
  return awayError(name, lastError, retry.at);
}

function stoppedError(server: string, state: State): GatewayError {
  return helpedBy({ do: 'start', server }, 'UPSTREAM_SUSPENDED', notHere(server, state), { server });
}

/** The message for a server that was stopped. */
export function notHere(server: string, state: State): string {
  return state === 'stopping' ? `server ${server} is stopping` : `server not found: ${server} (${state})`;
}

export function lateError(what: string, ms: number): GatewayError {
  return new GatewayError('UPSTREAM_TIMEOUT', `${what} took more than ${ms} ms`);
}
