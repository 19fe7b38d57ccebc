import { expect } from 'chai';
import { hostOverHttp } from '../../conformance/fixtureHost.ts';
import { eventually } from '../../contract/index.ts';
import { relayServer } from '../../support/relayServer.ts';
import { post, stateless, stream } from '../../support/stateless.ts';
import type { ReceivedSpan } from '../../support/otlpReceiver.ts';
import { startTraced } from './support.ts';
import type { Traced } from './support.ts';
import { programAt } from '../../support/programs.ts';

const RELAY = programAt('test/support/relayServer.ts');
const CLIENT = { trace: '0af7651916cd43dd8448eb211c80319c', span: '00f067aa0ba902b7' };
const traceparent = `00-${CLIENT.trace}-${CLIENT.span}-01`;
const WORKFLOW = `
apiVersion: pegboard.dev/v1alpha1
kind: Workflow
metadata: { name: traced }
spec:
  description: Two steps at two servers
  steps:
    - { id: one, tool: x_child_meta, output: true }
    - { id: two, tool: x_web_headers, output: true }
`;
const [INTERNAL, SERVER, CLIENT_KIND] = [1, 2, 3];

describe('tracing', () => {
  let traced: Traced;
  let server: Awaited<ReturnType<typeof hostOverHttp>>;
  before(async () => {
    server = await hostOverHttp(relayServer);
    const child = { type: 'stdio', autoStart: true, command: [process.execPath, ...RELAY, 'stdio'] };
    traced = await startTraced({
      files: {
        'config.yaml': '{}',
        'mcpservers/web.yaml': JSON.stringify({ type: 'streamable-http', url: server.url }),
        'mcpservers/child.yaml': JSON.stringify(child),
        'workflows/traced.yaml': WORKFLOW,
      },
    });
    const { log } = traced.gateway;
    const connected = (): boolean => log.filter(({ text }) => text === 'server connected').length === 2;
    await eventually(connected, 'both servers', 10_000);
  });
  after(async () => {
    await traced.stop();
    await server.close();
  });
  beforeEach(async () => {
    // The span of initialize.
    await traced.spans(1).catch(() => undefined);
    traced.receiver.spans.length = 0;
  });

  it('is one trace from the client through the steps of a workflow into two servers', async () => {
    const answer = await traced.call('workflow_traced', {}, { traceparent, tracestate: 'vendor=1' });
    const spans = await traced.spans(7);
    expect(spans.map(({ traceId }) => traceId)).deep.equal(spans.map(() => CLIENT.trace));
    const below = (parent: string): readonly ReceivedSpan[] =>
      spans.filter(({ parentSpanId }) => parentSpanId === parent);
    const only = (parent: string): ReceivedSpan => below(parent)[0]!;
    const request = only(CLIENT.span);
    expect([request.name, request.kind]).deep.equal(['tools/call call_tool', SERVER]);
    const dispatch = only(request.spanId);
    expect([dispatch.name, dispatch.kind]).deep.equal(['execute_tool call_tool', INTERNAL]);
    const run = only(dispatch.spanId);
    expect([run.name, run.kind]).deep.equal(['invoke_workflow traced', INTERNAL]);
    const steps = below(run.spanId);
    expect(steps.map(({ name, kind }) => [name, kind])).deep.equal([
      ['step one', INTERNAL],
      ['step two', INTERNAL],
    ]);
    const [one, two] = steps.map(({ spanId }) => only(spanId));
    expect([one?.name, one?.kind]).deep.equal(['tools/call meta', CLIENT_KIND]);
    expect([two?.name, two?.kind]).deep.equal(['tools/call headers', CLIENT_KIND]);
    // What the servers received: the first in _meta, the second in its headers.
    for (const span of [one, two]) expect(answer).include(`00-${CLIENT.trace}-${span?.spanId ?? ''}-01`);
    expect(answer).include('vendor=1');
  });

  it('begins from headers too, and _meta wins', async () => {
    const params = { name: 'call_tool', arguments: { name: 'x_child_meta', arguments: {} } };
    const other = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
    await traced.ask('tools/call', params, { traceparent: other });
    await traced.spans(3);
    await traced.ask('tools/call', { ...params, _meta: { traceparent } }, { traceparent: other });
    const parents = (await traced.spans(6)).filter(({ kind }) => kind === SERVER);
    expect(parents.map((span) => [span.traceId, span.parentSpanId])).deep.equal([
      ['1'.repeat(32), '2'.repeat(16)],
      [CLIENT.trace, CLIENT.span],
    ]);
  });

  it('is a new one without a trace, and with a malformed one', async () => {
    for (const wrong of [undefined, 'x', `00-${'0'.repeat(32)}-${CLIENT.span}-01`]) {
      traced.receiver.spans.length = 0;
      const answer = await traced.call('x_child_meta', {}, { traceparent: wrong });
      const [request] = (await traced.spans(3)).filter(({ kind }) => kind === SERVER);
      expect(request?.parentSpanId).equal('');
      expect(request?.traceId)
        .match(/^[\da-f]{32}$/)
        .not.equal(CLIENT.trace);
      expect(answer).include(request?.traceId);
    }
  });

  it('has a span for every method, and the code of every failure', async () => {
    const of = async (method: string, params: object, count: number): Promise<ReceivedSpan | undefined> => {
      traced.receiver.spans.length = 0;
      await traced.ask(method, params);
      return (await traced.spans(count)).find(({ kind }) => kind === SERVER);
    };
    expect(await of('tools/list', {}, 1)).include({ name: 'tools/list', status: 0 });
    expect(await of('resources/read', { uri: 'child://one' }, 2)).include({ name: 'resources/read' });
    expect(await of('prompts/get', { name: 'x_child_greet' }, 2)).include({
      name: 'prompts/get x_child_greet',
    });
    const failures = [
      ['tools/call', { name: 'guessed', arguments: {} }, 'tools/call', '-32602', 1],
      ['prompts/get', { name: 'guessed' }, 'prompts/get', 'PROMPT_NOT_FOUND', 1],
      ['resources/read', { uri: 'none://x' }, 'resources/read', 'RESOURCE_NOT_FOUND', 1],
      ['guessed/method', {}, 'unknown method', '-32601', 1],
      [
        'tools/call',
        { name: 'call_tool', arguments: { name: 'x_none', arguments: {} } },
        'tools/call',
        'TOOL_NOT_FOUND',
        2,
      ],
    ] as const;
    for (const [method, params, name, type, count] of failures) {
      const span = await of(method, params, count);
      expect(span, name).include({ name, status: 2 });
      expect(span?.attributes, name).include({ 'error.type': type });
      const code = type.startsWith('-') ? type : undefined;
      expect(span?.attributes['rpc.response.status_code'], name).equal(code);
    }
    traced.receiver.spans.length = 0;
    await traced.call('x_child_fail', { code: -32042, data: {} });
    const types = (await traced.spans(3)).map(({ kind, attributes }) => [kind, attributes['error.type']]);
    expect(types).deep.include([CLIENT_KIND, '-32042']).deep.include([SERVER, 'UPSTREAM_ERROR']);
    const sent = (await traced.spans(3)).find(({ kind }) => kind === CLIENT_KIND);
    expect(sent?.attributes['rpc.response.status_code']).equal('-32042');
    expect(sent?.attributes['jsonrpc.request.id']).match(/^\d+$/);
  });

  it('has no span for a stream of subscriptions/listen', async () => {
    const url = traced.gateway.url();
    const request = stateless('subscriptions/listen', { notifications: { toolsListChanged: true } });
    const opened = await stream(url, request);
    await opened.heard(1);
    opened.close();
    expect((await post(url, stateless('server/discover'))).status).equal(200);
    expect((await traced.spans(1)).map(({ name }) => name)).deep.equal(['server/discover']);
  });

  it('says in an error and in events which trace it is', async () => {
    const answer = await traced.call('x_none');
    const [request] = await traced.spans(2).then((spans) => spans.filter(({ kind }) => kind === SERVER));
    expect(answer).include(`"trace":"${request?.traceId ?? ''}"`);
  });

  it('leaves out arguments, results, session ids and identities', async () => {
    await traced.call('x_child_ask', { method: 'planted-argument' });
    const sent = JSON.stringify(await traced.spans(3));
    expect(sent).not.include('planted-argument').not.include('"subject"');
    const [request] = traced.receiver.spans.filter(({ kind }) => kind === SERVER);
    expect(request?.attributes['mcp.session.id']).match(/^[\da-f]{64}$/);
  });

  it('names its service', async () => {
    await traced.ask('tools/list', {});
    const [span] = await traced.spans(1);
    expect(span?.resource).include({ 'service.name': 'pegboard' }).property('service.version');
  });
});
