import { one } from 'pegboard';
import type { NoDetails } from 'pegboard';

declare module 'pegboard' {
  interface ErrorCodes {
    /** the call with this idempotency key is running; try again */
    TOOL_KEY_BUSY: NoDetails;
    /** the idempotency key belongs to a call with other arguments */
    TOOL_KEY_REUSED: NoDetails;
    /** the call with this idempotency key began, and its outcome is unknown */
    TOOL_OUTCOME_UNKNOWN: NoDetails;
  }
}

/** Provided while a tap of onCall makes calls with an idempotency key once; without it they are refused (decision D56). */
export const KeyedCalls = one<true>('keyed-calls');
