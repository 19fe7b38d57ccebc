import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { listenLocally } from '../conformance/listen.ts';
import { labelText } from './metrics.ts';
import { metricsInProtobuf } from './metricsInProtobuf.ts';
import type { ReceivedMetric } from './receivedMetric.ts';
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
  /** Of each export one list, in order. */
  readonly metrics: (readonly ReceivedMetric[])[];
  /** Paths and content types of what was posted. */
  readonly posts: string[];
  /** Status of the answers from now on; 200 at first. */
  answerWith(status: number): void;
  readonly close: () => Promise<void>;
}

/** An OTLP collector of traces and metrics over HTTP, for JSON and protobuf. Source: https://opentelemetry.io/docs/specs/otlp/ */
export async function traceReceiver(): Promise<TraceReceiver> {
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
      if (status === 200 && req.url === '/v1/metrics')
        metrics.push(isJson ? metricsInJson(body) : metricsInProtobuf(body));
      else if (status === 200) spans.push(...(isJson ? spansInJson(body) : spansInProtobuf(body)));
      res.writeHead(status, { 'content-type': type }).end(isJson ? '{}' : '');
    });
  });
  const listening = await listenLocally(server);
  const close = (): Promise<void> => listening.close();
  return { url: listening.url, spans, metrics, posts, close, answerWith: (next) => (status = next) };
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

interface JsonPoint {
  readonly attributes: readonly KeyValue[];
  readonly asDouble?: number;
  /** Of a histogram. */
  readonly count?: number;
}
interface JsonMetrics {
  readonly resourceMetrics: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeMetrics: readonly {
      readonly metrics: readonly ({ readonly name: string; readonly unit: string } & Readonly<
        Partial<Record<ReceivedMetric['kind'], { readonly dataPoints: readonly JsonPoint[] }>>
      >)[];
    }[];
  }[];
}

function metricsInJson(body: Buffer): readonly ReceivedMetric[] {
  const { resourceMetrics } = JSON.parse(body.toString()) as JsonMetrics;
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
          ...{ name: metric.name, unit: metric.unit, kind },
          values: Object.fromEntries(values) as Record<string, number>,
          resource: valuesOf(resource.attributes) as Record<string, string>,
        };
      }),
  );
}

function valuesOf(list: readonly KeyValue[] = []): Record<string, unknown> {
  return Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]]));
}
