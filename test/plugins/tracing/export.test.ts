import { expect } from 'chai';
import { startGateway, eventually } from '../../contract/index.ts';
import { defer } from '../../support/cleanup.ts';
import { traceExporterNames } from '../../../plugins/tracing/export/traceExporterNames.ts';
import { openExport } from '../../../plugins/tracing/export/openExport.ts';
import { Tracer } from '../../../plugins/contracts/tracing.ts';
import { forwardProxy } from '../../support/forwardProxy.ts';
import { captureLog } from '../../support/log.ts';
import { messageOf } from '../../../kernel/index.ts';
import { otlpReceiver } from '../../support/otlpReceiver.ts';
import { setVariables, startTraced } from './support.ts';

const SAMPLED = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
const NOT_SAMPLED = `00-${'c'.repeat(32)}-${'b'.repeat(16)}-00`;
const list = (traceparent?: string): object => ({ _meta: traceparent === undefined ? {} : { traceparent } });

describe('tracing: exporters', () => {
  it('are those that the variables name, and none are made without variables', () => {
    const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://localhost:4318';
    const cases = [
      [{}, []],
      [{ OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT }, []],
      [{ OTEL_TRACES_EXPORTER: 'otlp, console,otlp' }, ['otlp', 'console']],
      [{ OTEL_EXPORTER_OTLP_ENDPOINT }, ['otlp']],
      [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: OTEL_EXPORTER_OTLP_ENDPOINT }, ['otlp']],
      [{ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' }, []],
    ] as const;
    for (const [env, names] of cases) expect(traceExporterNames(env), JSON.stringify(env)).deep.equal(names);
  });

  it('do not run without variables', async () => {
    const gateway = await startGateway({ plugins: {} });
    expect(gateway.all(Tracer)).deep.equal([]);
    await gateway.stop();
  });

  const WRONG = [
    [{ OTEL_TRACES_EXPORTER: 'zipkin' }, 'OTEL_TRACES_EXPORTER is "zipkin"; list otlp, console or none'],
    [
      { OTEL_TRACES_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      'OTEL_EXPORTER_OTLP_PROTOCOL is "grpc"',
    ],
    [
      { OTEL_TRACES_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'grpc' },
      'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL is "grpc"; use http/protobuf or http/json',
    ],
    [{ OTEL_TRACES_EXPORTER: 'console', OTEL_TRACES_SAMPLER: 'some' }, 'OTEL_TRACES_SAMPLER is "some"'],
    [
      { OTEL_TRACES_EXPORTER: 'console', OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' },
      'OTEL_TRACES_SAMPLER_ARG is "2"; use a number from 0 to 1',
    ],
    [{ OTEL_TRACES_EXPORTER: 'console', OTEL_BSP_MAX_QUEUE_SIZE: '0' }, 'OTEL_BSP_MAX_QUEUE_SIZE is "0"'],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'me:hunter2@collector:4318' },
      'OTEL_EXPORTER_OTLP_ENDPOINT does not begin with http:// or https://; write it as http://collector:4318',
    ],
    [
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://me:hunter2@collector:port',
      },
      'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is not a URL: its host or port cannot be read; write it as http://collector:4318/v1/traces',
    ],
  ] as const;
  for (const [env, message] of WRONG)
    it(`refuse the start for ${JSON.stringify(env)}`, async () => {
      const fault = await openExport(env, captureLog()).then(() => 'started', messageOf);
      expect(fault).include(message).and.not.include('hunter2');
    });

  it('start with an address that they do not use', async () => {
    const env = { OTEL_TRACES_EXPORTER: 'console', OTEL_EXPORTER_OTLP_ENDPOINT: 'collector' };
    await (await openExport(env, captureLog())).stop();
  });

  it('send protobuf by default, with the same spans as JSON', async () => {
    const seen: unknown[] = [];
    for (const protocol of ['http/protobuf', 'http/json']) {
      const traced = await startTraced({ plugins: {} }, { OTEL_EXPORTER_OTLP_PROTOCOL: protocol });
      await traced.ask('tools/list', list(SAMPLED));
      const span = (await traced.spans(2)).find(({ name }) => name === 'tools/list');
      const parent = { traceId: 'a'.repeat(32), parentSpanId: 'b'.repeat(16), kind: 2 };
      expect(span, protocol)
        .include(parent)
        .property('spanId')
        .match(/^[\da-f]{16}$/);
      const { name, kind, status, attributes } = span ?? {};
      seen.push({ name, kind, status, attributes: Object.keys(attributes ?? {}) });
      const type = protocol === 'http/json' ? 'application/json' : 'application/x-protobuf';
      expect(new Set(traced.receiver.posts)).deep.equal(new Set([`/v1/traces ${type}`]));
      await traced.stop();
    }
    expect(seen[0]).deep.equal(seen[1]).nested.property('attributes').include('mcp.method.name');
  });

  it('write lines of the log for console', async () => {
    const traced = await startTraced({ plugins: {} }, { OTEL_TRACES_EXPORTER: 'console' });
    await traced.ask('tools/list', list(SAMPLED));
    const line = await eventually(
      () => traced.gateway.log.find(({ data }) => data['name'] === 'tools/list'),
      'the line of the span',
    );
    expect(line.data).include({ trace: 'a'.repeat(32), parent: 'b'.repeat(16), kind: 'SERVER' });
    expect(traced.receiver.posts).deep.equal([]);
    await traced.stop();
  });

  it('get what the sampler chose: by default what the client chose, and everything without a client', async () => {
    const names = async (sampler: object, traceparent?: string): Promise<readonly string[]> => {
      const traced = await startTraced(
        { plugins: {} },
        { OTEL_TRACES_SAMPLER: 'parentbased_always_on', ...sampler },
      );
      await traced.ask('tools/list', list(traceparent));
      await traced.stop();
      return traced.receiver.spans.map(({ name }) => name).filter((name) => name === 'tools/list');
    };
    const always = ['tools/list'];
    expect(await names({})).deep.equal(always);
    expect(await names({}, NOT_SAMPLED)).deep.equal([]);
    expect(await names({ OTEL_TRACES_SAMPLER: 'always_on' }, NOT_SAMPLED)).deep.equal(always);
    expect(await names({ OTEL_TRACES_SAMPLER: 'always_off' }, SAMPLED)).deep.equal([]);
    const none = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' };
    expect(await names(none)).deep.equal([]);
    expect(await names(none, SAMPLED)).deep.equal(always);
  });

  it('name their trace to the client also if it is not sampled', async () => {
    const traced = await startTraced({ plugins: {} });
    expect(await traced.call('x_none', {}, { traceparent: NOT_SAMPLED })).include(
      `"trace":"${'c'.repeat(32)}"`,
    );
    await traced.stop();
    expect(traced.receiver.spans.filter(({ traceId }) => traceId === 'c'.repeat(32))).deep.equal([]);
  });

  it('export at a stop what waits', async () => {
    const traced = await startTraced({ plugins: {} }, { OTEL_BSP_SCHEDULE_DELAY: '600000' });
    await traced.ask('tools/list', {});
    expect(traced.receiver.spans).deep.equal([]);
    await traced.gateway.stop();
    expect(traced.receiver.spans.map(({ name }) => name)).include('tools/list');
    await traced.stop();
  });

  it('warn once while the collector refuses, keep a bounded number of spans, and say when it works again', async () => {
    const receiver = await otlpReceiver();
    defer(() => receiver.close());
    const log = captureLog();
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '1',
      OTEL_BSP_MAX_QUEUE_SIZE: '10',
    };
    const restore = setVariables(env);
    const traces = await openExport(env, log);
    restore();
    receiver.answerWith(400);
    const burst = (count: number): void => {
      for (let at = 0; at < count; at += 1) traces.tracer.startSpan('one').end();
    };
    for (const posts of [1, 2, 3]) {
      burst(1);
      await eventually(() => receiver.posts.length === posts, `post ${posts}`);
    }
    const warnings = (): readonly unknown[] => log.having('traces could not be exported', 'warn');
    await eventually(() => warnings().length > 0, 'the warning');
    receiver.answerWith(200);
    burst(1_000);
    const again = await eventually(
      () => log.having('traces are exported again', 'info')[0],
      'the second line',
    );
    expect(again.data['lostSpans']).within(1, 3);
    await traces.stop();
    expect(warnings()).length(1);
    // A batch and a queue.
    expect(receiver.spans.length).within(10, 20);
  });

  it('reach a collector through a proxy', async () => {
    const receiver = await otlpReceiver();
    defer(() => receiver.close());
    const proxy = await forwardProxy(() => Number(new URL(receiver.url).port));
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.corp.test:4318',
      OTEL_TRACES_EXPORTER: 'otlp',
      HTTP_PROXY: `http://${proxy.place}`,
    };
    const restore = setVariables(env);
    const traces = await openExport(env, captureLog());
    restore();
    traces.tracer.startSpan('one').end();
    await traces.stop();
    expect(receiver.spans.map(({ name }) => name)).deep.equal(['one']);
    expect(proxy.asked).deep.equal(['CONNECT collector.corp.test:4318']);
  });
});
