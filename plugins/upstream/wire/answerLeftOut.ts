import { GatewayError, isGatewayError, messageOf } from 'pegboard';
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
  const [, id] =
    BEGINS_WITH_ID.exec(ends) ?? (IS_ANSWER.test(ends) ? ENDS_WITH_ID.exec(ends) : undefined) ?? [];
  if (id !== undefined) listener.failed({ id: Number(id) }, answerLeftOut(why));
}

/** The member `id` of an answer stands before its result, or at its end. Requests of the server have ids of their own: they must not match. */
const BEGINS_WITH_ID =
  /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*"?(\d{1,16})"?\s*,\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"(?:result|error)"\s*:/;
const IS_ANSWER = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"(?:result|error)"\s*:/;
const ENDS_WITH_ID = /,\s*"id"\s*:\s*"?(\d{1,16})"?\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;
