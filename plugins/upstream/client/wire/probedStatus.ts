import type { Pool } from 'undici';
import { Exchange } from './exchange.ts';
import type { RequestParts } from './httpRequest.ts';
import type { SocketFlow } from './socketFlow.ts';

const MAX_ANSWER_BYTES = 65_536;

export interface ProbedStatusParts extends Omit<RequestParts, 'body'> {
  readonly flow: SocketFlow;
  readonly timeoutMs: number;
}

/** Sends a request without a message, and reads no more than the head of its answer. Resolves with the status; undefined if there
 *  is none within the time-out. */
export function probedStatus(
  pool: Pool,
  { flow, timeoutMs, ...request }: ProbedStatusParts,
): Promise<number | undefined> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      exchange.drop();
      resolve(exchange.status === 0 ? undefined : exchange.status);
    };
    const owner = {
      maxMessageBytes: MAX_ANSWER_BYTES,
      maxEventIdBytes: 0,
      flow,
      begun: idle,
      head: end,
      event: () => 0,
      answered: end,
      streamEnded: end,
      broken: end,
    };
    const exchange = new Exchange<undefined>(owner, undefined);
    const timer = setTimeout(end, timeoutMs);
    exchange.send(pool, request);
  });
}

function idle(): void {
  // Nothing to do.
}
