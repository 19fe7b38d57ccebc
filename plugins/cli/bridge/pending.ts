import type { JsonObject } from 'pegboard';
import type { Request } from './messages.ts';

/** A request of the client that has no answer yet. */
export interface Pending {
  readonly request: Request;
  /** Ends the wait for the gateway, and a request of a revision without sessions. */
  readonly abort: AbortController;
  /** It waits for the gateway; it is on its way; the gateway has begun its answer. */
  state: 'waiting' | 'sending' | 'streaming';
}

export const NO_ANSWER = -32000;
/** The error for a request that was sent, whose answer was lost. */
export const LOST = {
  code: NO_ANSWER,
  message:
    'the connection to the gateway was lost before the answer: the request may have been carried out or not; check before repeating it',
  data: { outcome: 'unknown' },
};

export function errorOf(id: string | number | null, error: JsonObject): JsonObject {
  return { jsonrpc: '2.0', id, error };
}
