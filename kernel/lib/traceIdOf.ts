import type { ClientMeta } from '../contracts/call.ts';

/** The id of the trace in `traceparent`, 32 hex digits. Source: W3C Trace Context §3.2.2 */
export function traceIdOf(meta: ClientMeta | undefined): string | undefined {
  return meta?.traceparent?.split('-', 2)[1];
}
