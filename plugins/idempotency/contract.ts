import { one } from 'pegboard';
import type { Call, CallResult } from 'pegboard';

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
