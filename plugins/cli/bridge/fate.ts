import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { Failure } from '../failure.ts';

/** What became of a request that could not be sent:
 *  - `unsent`: the gateway did not receive it
 *  - `unknown`: the connection was lost before the answer
 *  - `expired`: the gateway does not know the session, and did nothing
 *  - `refused`: the gateway refused it, and would again */
export type Fate = 'unsent' | 'unknown' | 'expired' | 'refused';

const NO_CONNECTION = [
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT'],
  'UND_ERR_CONNECT_TIMEOUT',
];
const TLS_FAULT = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS|ERR_SSL/;

export function fateOf(error: unknown, hasSession: boolean): Fate {
  const status = statusIn(error);
  if (status === 404 && hasSession) return 'expired';
  // Of a gateway that stops, and of proxies in front of one that is away.
  if (status === 503) return 'unsent';
  if (status === 502 || status === 504) return 'unknown';
  // A Failure is of this program: nothing was sent.
  if (status !== undefined || error instanceof Failure) return 'refused';
  const code = codeOf(error);
  if (NO_CONNECTION.includes(code)) return 'unsent';
  return TLS_FAULT.test(code) ? 'refused' : 'unknown';
}

export function statusIn(error: unknown): number | undefined {
  return dataOf(error).status;
}

/** The JSON-RPC error in the body of a refusal. */
export function rpcErrorOf(error: unknown): JsonObject | undefined {
  try {
    const body: unknown = JSON.parse(dataOf(error).text ?? '');
    return isObject(body) && isObject(body['error']) ? body['error'] : undefined;
  } catch {
    return undefined;
  }
}

function dataOf(error: unknown): { readonly status?: number; readonly text?: string } {
  return (error as { readonly data?: { readonly status?: number; readonly text?: string } }).data ?? {};
}

/** fetch hides the code in its cause. */
function codeOf(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  return isObject(cause) && typeof cause['code'] === 'string' ? cause['code'] : '';
}
