import type { ClientMeta } from 'pegboard';

/** Most servers refuse requests with more than 8 or 16 KB of headers. */
const MAX_CHARS = { traceparent: 64, tracestate: 512, baggage: 4_096 } as const;
const NAMES = ['traceparent', 'tracestate', 'baggage'] as const;
const PRINTABLE = /^[\x20-\x7e]+$/;

/** The trace of a request as HTTP headers, for servers and proxies that do not read `_meta`, which always has all of it.
 *  @returns names and values in turn, without values that a header cannot hold; undefined without a trace
 *  Source: W3C Trace Context §3.2, §3.3; W3C Baggage §3 */
export function traceHeaders(meta: ClientMeta | undefined): readonly string[] | undefined {
  if (meta?.traceparent === undefined) return undefined;
  const headers: string[] = [];
  for (const name of NAMES) {
    const value = meta[name];
    if (value !== undefined && value.length <= MAX_CHARS[name] && PRINTABLE.test(value))
      headers.push(name, value);
  }
  return headers;
}
