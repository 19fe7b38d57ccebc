import { one } from 'pegboard';
import type { Call, CallResult, NoDetails } from 'pegboard';

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

/** Runs a call once, even if it is sent several times with the same key (decision D56). */
export interface KeyedCalls {
  /** @param key 1 to 255 printable ASCII characters, unique for each caller and tool
   *  @param run runs the tool; the guards have already let the call pass
   *  @returns the tool's result, or the stored result of the first call with this key
   *  @throws GatewayError TOOL_KEY_BUSY, TOOL_KEY_REUSED, TOOL_OUTCOME_UNKNOWN, TOOL_RESULT_GONE, STORE_UNREACHABLE, STORE_FORBIDDEN;
   *  the errors of the tool, also stored ones */
  run(key: string, call: Call, run: () => Promise<CallResult>): Promise<CallResult>;
}
export const KeyedCalls = one<KeyedCalls>('keyed-calls');
