import { ROOT_CONTEXT, SpanStatusCode, TraceFlags, createTraceState, trace } from '@opentelemetry/api';
import type { Context, Span, SpanContext, Tracer as OtelTracer } from '@opentelemetry/api';
import type { ClientMeta } from 'pegboard';
import type { RunningSpan, SpanEnd, Tracer, Work } from '../../contracts/tracing.ts';
import { REQUEST_ID, attributesOf, errorTypeOf, spanKindOf, spanNameOf } from './conventions.ts';
import type { ContentReader } from './contentReader.ts';
import { KnownValues } from './knownValues.ts';

/** Errors for a tool, prompt or method that does not exist: its name would make the names of spans countless. */
const UNKNOWN: Readonly<Record<string, string | undefined>> = {
  TOOL_NOT_FOUND: undefined,
  PROMPT_NOT_FOUND: undefined,
  '-32602': undefined,
  '-32601': 'unknown method',
};

/** Work as spans of OpenTelemetry. Their parents are told by `meta`, as between processes, so that nothing has to follow
 *  the flow of the program. */
export class Spans implements Tracer {
  readonly #tracer: OtelTracer;
  readonly #content: ContentReader;
  readonly #known = new KnownValues();

  constructor(tracer: OtelTracer, content: ContentReader) {
    this.#tracer = tracer;
    this.#content = content;
  }

  begin(work: Work, meta: ClientMeta | undefined): RunningSpan {
    const isRemote = work.type === 'request';
    const span = this.#tracer.startSpan(
      spanNameOf(work),
      { kind: spanKindOf(work) },
      contextOf(meta, isRemote),
    );
    const given = { ...meta, traceparent: parentOf(span.spanContext()) };
    if (!span.isRecording()) return { meta: given, sentAs: ignore, end: ignore };
    span.setAttributes(attributesOf(work, this.#known));
    const content = work.type === 'server' ? work.content : undefined;
    if (content !== undefined) span.setAttributes(this.#content.argumentsOf(content));
    return {
      meta: given,
      sentAs: (id) => void span.setAttribute(REQUEST_ID, String(id)),
      end: (how) => this.#end(span, work, how),
    };
  }

  #end(span: Span, work: Work, how: SpanEnd): void {
    const { json, status } = how;
    const type = errorTypeOf(how);
    if (status !== undefined) span.setAttribute('pegboard.workflow.status', status);
    if (type !== undefined) {
      span.setAttribute('error.type', type);
      if (NUMBER.test(type)) span.setAttribute('rpc.response.status_code', type);
      span.setStatus({ code: SpanStatusCode.ERROR });
      if (work.type === 'request' && type in UNKNOWN) span.updateName(UNKNOWN[type] ?? work.method);
    }
    const content = work.type === 'server' ? work.content : undefined;
    if (content !== undefined && json !== undefined)
      span.setAttributes(this.#content.resultOf(content, json));
    span.end();
  }
}

/** An error of JSON-RPC has its code as type. */
const NUMBER = /^-?\d+$/;
const ignore = (): void => undefined;

/** @param meta whose traceparent is well-formed */
function contextOf(meta: ClientMeta | undefined, isRemote: boolean): Context {
  const { traceparent, tracestate } = meta ?? {};
  if (traceparent === undefined) return ROOT_CONTEXT;
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-');
  const parent: SpanContext = {
    traceId,
    spanId,
    isRemote,
    traceFlags: parseInt(flags, 16) & TraceFlags.SAMPLED,
    ...(tracestate !== undefined && { traceState: createTraceState(tracestate) }),
  };
  return trace.setSpanContext(ROOT_CONTEXT, parent);
}

/** Source: W3C Trace Context §3.2 */
function parentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${(traceFlags & TraceFlags.SAMPLED) === 0 ? '00' : '01'}`;
}
