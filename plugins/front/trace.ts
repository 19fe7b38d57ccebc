import { isObject } from 'pegboard';
import type { InboundRequest, JsonObject, TraceContext } from 'pegboard';

const PARENT = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;
const MAX_CHARS = 8_192;

/** The trace that a request belongs to, as its `_meta` says, or its headers. @returns undefined for none, or none that is one */
export function traceOf(params: JsonObject, request: InboundRequest): TraceContext | undefined {
  const meta = isObject(params['_meta']) ? params['_meta'] : {};
  const read = (name: string): string | undefined =>
    textIn(meta['traceparent'] === undefined ? request.header(name) : meta[name]);
  const [traceparent, tracestate, baggage] = [read('traceparent'), read('tracestate'), read('baggage')];
  if (traceparent === undefined || !PARENT.test(traceparent)) return undefined;
  return {
    traceparent,
    ...(tracestate !== undefined && { tracestate }),
    ...(baggage !== undefined && { baggage }),
  };
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= MAX_CHARS ? value : undefined;
}
