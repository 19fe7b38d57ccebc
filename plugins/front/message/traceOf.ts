import { isObject } from 'pegboard';
import type { ClientMeta, InboundRequest, JsonObject } from 'pegboard';

/** Version ff and ids of zeros are invalid. Source: W3C Trace Context §3.2.2 */
const PARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;
const MAX_CHARS = 8_192;

/** The trace of a request, from its `_meta` or else its headers. @returns undefined if it is missing or malformed */
export function traceOf(params: JsonObject, request: InboundRequest): ClientMeta | undefined {
  const { _meta: meta } = params;
  const isInMeta = isObject(meta) && meta['traceparent'] !== undefined;
  if (!isInMeta && request.header('traceparent') === undefined) return undefined;
  const read = (name: string): string | undefined => textIn(isInMeta ? meta[name] : request.header(name));
  const traceparent = read('traceparent');
  if (traceparent === undefined || !PARENT.test(traceparent)) return undefined;
  const [tracestate, baggage] = [read('tracestate'), read('baggage')];
  return {
    traceparent,
    ...(tracestate !== undefined && { tracestate }),
    ...(baggage !== undefined && { baggage }),
  };
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= MAX_CHARS ? value : undefined;
}
