import { createServer } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import protobuf from 'protobufjs';
import { listenLocally } from '../conformance/listen.ts';
import { labelText } from './metrics.ts';
import type { ReceivedMetric } from './receivedMetric.ts';
import { ROOT } from './sources.ts';

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
export interface OtlpReceiver {
  readonly url: string;
  readonly spans: ReceivedSpan[];
  /** One list for each export, in order. */
  readonly metrics: (readonly ReceivedMetric[])[];
  /** Paths and content types of what was posted. */
  readonly posts: string[];
  /** Status of the answers from now on; 200 at first. */
  answerWith(status: number): void;
  readonly close: () => Promise<void>;
}

/** An OTLP collector of traces and metrics over HTTP, for JSON and protobuf. Source: https://opentelemetry.io/docs/specs/otlp/ */
export async function otlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const metrics: (readonly ReceivedMetric[])[] = [];
  const posts: string[] = [];
  let status = 200;
  const server = createServer((req, res) => {
    const type = req.headers['content-type'] ?? '';
    void buffer(req).then((sent) => {
      const body = req.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
      posts.push(`${req.url ?? ''} ${type}`);
      const isJson = type === 'application/json';
      const isMetrics = req.url === '/v1/metrics';
      const request: unknown = isJson
        ? JSON.parse(body.toString())
        : decoded(isMetrics ? 'ExportMetricsServiceRequest' : 'ExportTraceServiceRequest', body);
      if (status === 200 && isMetrics) metrics.push(metricsIn(request as MetricsRequest));
      else if (status === 200) spans.push(...spansIn(request as TraceRequest));
      res.writeHead(status, { 'content-type': type }).end(isJson ? '{}' : '');
    });
  });
  const listening = await listenLocally(server);
  const close = (): Promise<void> => listening.close();
  return { url: listening.url, spans, metrics, posts, close, answerWith: (next) => (status = next) };
}

const MESSAGES = protobuf.loadSync(join(ROOT, 'test/support/otlp.proto'));

/** The message in the form that OTLP has in JSON, but for ids, which are bytes. @throws Error if it is another message */
function decoded(message: string, body: Buffer): unknown {
  const type = MESSAGES.lookupType(`otlp.${message}`);
  return type.toObject(type.decode(body), { longs: Number, arrays: true });
}

interface KeyValue {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}
type Id = string | Uint8Array;
interface SentSpan extends Pick<ReceivedSpan, 'name' | 'kind'> {
  readonly traceId: Id;
  readonly spanId: Id;
  readonly parentSpanId?: Id;
  readonly attributes?: readonly KeyValue[];
  readonly status?: { readonly code?: number };
}
interface TraceRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

function spansIn({ resourceSpans }: TraceRequest): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap(({ spans }) => spans)
      .map((span) => ({
        traceId: hex(span.traceId),
        spanId: hex(span.spanId),
        parentSpanId: hex(span.parentSpanId ?? ''),
        name: span.name,
        kind: span.kind,
        attributes: valuesOf(span.attributes),
        status: span.status?.code ?? 0,
        resource: valuesOf(resource.attributes),
      })),
  );
}

interface SentPoint {
  readonly attributes: readonly KeyValue[];
  readonly asDouble?: number;
  /** Number of the values of a histogram. */
  readonly count?: number;
}
interface MetricsRequest {
  readonly resourceMetrics: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeMetrics: readonly {
      readonly metrics: readonly ({ readonly name: string; readonly unit: string } & Readonly<
        Partial<Record<ReceivedMetric['kind'], { readonly dataPoints: readonly SentPoint[] }>>
      >)[];
    }[];
  }[];
}

function metricsIn({ resourceMetrics }: MetricsRequest): readonly ReceivedMetric[] {
  return resourceMetrics.flatMap(({ resource, scopeMetrics }) =>
    scopeMetrics
      .flatMap(({ metrics }) => metrics)
      .map((metric) => {
        const kind = (['gauge', 'sum', 'histogram'] as const).find((one) => one in metric) ?? 'gauge';
        const values = (metric[kind]?.dataPoints ?? []).map(({ attributes, asDouble, count }) => [
          labelText(valuesOf(attributes) as Record<string, string>),
          asDouble ?? count,
        ]);
        return {
          name: metric.name,
          unit: metric.unit,
          kind,
          values: Object.fromEntries(values) as Record<string, number>,
          resource: valuesOf(resource.attributes) as Record<string, string>,
        };
      }),
  );
}

function hex(id: Id): string {
  return typeof id === 'string' ? id : Buffer.from(id).toString('hex');
}

function valuesOf(list: readonly KeyValue[] = []): Record<string, unknown> {
  return Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]]));
}
