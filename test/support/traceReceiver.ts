import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { listenLocally } from '../conformance/listen.ts';
import { spansInProtobuf } from './spansInProtobuf.ts';

/** A span as a collector gets it. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  /** 1 INTERNAL, 2 SERVER, 3 CLIENT. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** 2 for an error. */
  readonly status: number;
  readonly resource: Readonly<Record<string, unknown>>;
}
export interface TraceReceiver {
  readonly url: string;
  readonly spans: ReceivedSpan[];
  /** Paths and content types of what was posted. */
  readonly posts: string[];
  /** Status of the answers from now on; 200 at first. */
  answerWith(status: number): void;
  readonly close: () => Promise<void>;
}

/** An OTLP collector over HTTP, for JSON and protobuf. Source: https://opentelemetry.io/docs/specs/otlp/ */
export async function traceReceiver(): Promise<TraceReceiver> {
  const spans: ReceivedSpan[] = [];
  const posts: string[] = [];
  let status = 200;
  const server = createServer((req, res) => {
    const type = req.headers['content-type'] ?? '';
    void buffer(req).then((sent) => {
      const body = req.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
      posts.push(`${req.url ?? ''} ${type}`);
      if (status === 200)
        spans.push(...(type === 'application/json' ? spansInJson(body) : spansInProtobuf(body)));
      res.writeHead(status, { 'content-type': type }).end(type === 'application/json' ? '{}' : '');
    });
  });
  const listening = await listenLocally(server);
  const close = (): Promise<void> => listening.close();
  return { url: listening.url, spans, posts, close, answerWith: (next) => (status = next) };
}

interface KeyValue {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}
interface JsonSpan extends Omit<ReceivedSpan, 'attributes' | 'status' | 'resource' | 'parentSpanId'> {
  readonly parentSpanId?: string;
  readonly attributes?: readonly KeyValue[];
  readonly status?: { readonly code?: number };
}
interface JsonRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeSpans: readonly { readonly spans: readonly JsonSpan[] }[];
  }[];
}

function spansInJson(body: Buffer): ReceivedSpan[] {
  const { resourceSpans } = JSON.parse(body.toString()) as JsonRequest;
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap(({ spans }) => spans)
      .map((span) => ({
        ...span,
        parentSpanId: span.parentSpanId ?? '',
        attributes: valuesOf(span.attributes),
        status: span.status?.code ?? 0,
        resource: valuesOf(resource.attributes),
      })),
  );
}

function valuesOf(list: readonly KeyValue[] = []): Record<string, unknown> {
  return Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]]));
}
