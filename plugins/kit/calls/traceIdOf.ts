import type { ClientMeta } from 'pegboard';

/** The id of the trace that a call belongs to, 32 hex digits. Source: W3C Trace Context §3.2.2 */
export function traceIdOf(meta: ClientMeta | undefined): string | undefined {
  return meta?.traceparent?.split('-', 2)[1];
}
