import { isGatewayError } from 'pegboard';
import type { CallOutcome } from 'pegboard';

/** `ok`, `tool_error` for a result with `isError`, or the code of an error, without its text, which may hold secrets. */
export function outcomeOf(how: CallOutcome): string {
  if (how.outcome === 'error') return isGatewayError(how.error) ? how.error.code : 'PLUGIN_TAP';
  const { result } = how;
  // Most results are never parsed: parse only those that may have the member.
  return result.json.includes('"isError"') && result.value().isError === true ? 'tool_error' : 'ok';
}
