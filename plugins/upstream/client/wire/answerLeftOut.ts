import { GatewayError, isGatewayError, messageOf } from 'pegboard';
import { idOfAnswer } from './idOfAnswer.ts';
import type { WireListener } from './wire.ts';

/** The server has answered, and the answer was not read for want of memory. */
export function answerLeftOut(why: unknown): GatewayError<'MEMORY_FULL'> {
  const retryAfter = isGatewayError(why) ? why.details.retryAfter : undefined;
  return new GatewayError('MEMORY_FULL', `its answer was not read: ${messageOf(why)}`, {
    details: { mayHaveRun: true, ...(retryAfter !== undefined && { retryAfter }) },
  });
}

/** Fails the request whose answer was skipped on a stream of several. @param ends first and last characters of the message */
export function failSkipped(listener: Pick<WireListener, 'failed'>, ends: string, why: unknown): void {
  const id = idOfAnswer(ends);
  if (id !== undefined) listener.failed({ id }, answerLeftOut(why));
}
