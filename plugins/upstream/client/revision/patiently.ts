import { waitAtMost } from 'pegboard';
import type { GatewayError } from 'pegboard';
import { asGatewayError } from '../rpc/requestErrors.ts';

export interface Patience {
  /** Aborted when the attempt to connect is given up. */
  readonly signal?: AbortSignal;
  /** The server asks to be greeted later. */
  readonly waits?: (error: GatewayError, ms: number) => void;
}

/** Longest wait, and number of waits, in one greeting; a server that wants more has failed, and is tried again later. */
const MAX_WAIT_MS = 60_000;
const MAX_WAITS = 3;

/** Sends a request of a greeting, and the same again when its server asks for a pause (429 with Retry-After): an attempt that
 *  began anew would spend what a limit of requests allows on its first request each time. @throws what `ask` throws */
export async function patiently(ask: () => Promise<string>, patience: Patience): Promise<string> {
  for (let waits = 0; ; waits += 1) {
    try {
      return await ask();
    } catch (thrown) {
      const error = asGatewayError(thrown);
      const waitMs = (error.details.retryAfter ?? Infinity) * 1_000;
      if (error.details.status !== 429 || waits === MAX_WAITS || waitMs > MAX_WAIT_MS) throw error;
      patience.waits?.(error, waitMs);
      const { signal } = patience;
      await waitAtMost(waitMs, new Promise((resolve) => signal?.addEventListener('abort', resolve)));
      if (signal?.aborted === true) throw error;
    }
  }
}
