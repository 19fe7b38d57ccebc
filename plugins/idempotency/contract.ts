import { one } from 'pegboard';
import type { Call, CallResult, NoDetails } from 'pegboard';

declare module 'pegboard' {
  interface ErrorCodes {
    /** the call with this idempotency key is under way; ask again */
    TOOL_KEY_BUSY: NoDetails;
    /** the idempotency key stands for a call with other arguments */
    TOOL_KEY_REUSED: NoDetails;
    /** the call with this idempotency key began; how it ended is not known */
    TOOL_OUTCOME_UNKNOWN: NoDetails;
  }
}

/** Makes a call once, however often it is sent under one key (decision D56). */
export interface KeyedCalls {
  /** @param key 1 to 255 printable ASCII characters, the caller's own for each tool
   *  @param run runs the tool; its guards have let the call through
   *  @returns the tool's result, or the kept one of the first call with this key
   *  @throws GatewayError TOOL_KEY_BUSY, TOOL_KEY_REUSED, TOOL_OUTCOME_UNKNOWN, TOOL_RESULT_GONE, STORE_UNREACHABLE, STORE_FORBIDDEN;
   *  what the tool throws or has thrown */
  run(key: string, call: Call, run: () => Promise<CallResult>): Promise<CallResult>;
}
export const KeyedCalls = one<KeyedCalls>('keyed-calls');
