import type { ClientMeta, InboundRequest, Scope } from 'pegboard';
import { Tracer } from '../../contracts/tracing.ts';
import type { RunningSpan } from '../../contracts/tracing.ts';
import type { Message } from './codec.ts';
import { metaOf } from './metaOf.ts';

export interface BegunRequest {
  /** What calls and servers get. */
  readonly meta: ClientMeta | undefined;
  /** Undefined if nothing is traced. */
  readonly span: RunningSpan | undefined;
}

/** What a request says to servers; if traces are exported, with the trace as its span continues it. */
export function beginRequest(
  scope: Pick<Scope<unknown>, 'find'>,
  { id, method, params }: Message & { readonly kind: 'request' },
  { request, revision }: { readonly request: InboundRequest; readonly revision: string | undefined },
): BegunRequest {
  const meta = metaOf(params, request);
  const tracer = scope.find(Tracer);
  if (tracer === undefined) return { meta, span: undefined };
  const span = tracer.begin({ type: 'request', id, method, params, request, revision }, meta);
  return { meta: span.meta, span };
}
