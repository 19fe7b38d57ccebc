import { expect } from 'chai';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { hostOverHttp } from '../conformance/fixtureHost.ts';
import { eventually, startGateway } from '../contract/index.ts';
import type { TestGateway } from '../contract/index.ts';
import { callBody, initialize, postMcp } from '../support/edge.ts';
import { relayServer } from '../support/relayServer.ts';
import { post, statelessCall } from '../support/stateless.ts';
import { toldIn } from '../support/talkingClient.ts';
import { programAt } from '../support/programs.ts';

const RELAY = programAt('test/support/relayServer.ts');
const TRACE = {
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01',
  tracestate: 'vendor=1',
  baggage: 'user=ann',
};
const WORKFLOW = `
apiVersion: pegboard.dev/v1alpha1
kind: Workflow
metadata: { name: traced }
spec:
  description: One step
  steps: [{ id: one, tool: x_child_meta, output: true }]
`;

describe('e2e: traces', () => {
  let gateway: TestGateway;
  let server: Awaited<ReturnType<typeof hostOverHttp>>;
  let handle: string;
  before(async () => {
    server = await hostOverHttp(relayServer);
    const child = { type: 'stdio', autoStart: true, command: [process.execPath, ...RELAY, 'stdio'] };
    gateway = await startGateway({
      files: {
        'config.yaml': JSON.stringify({ plugins: { audit: {} } }),
        'mcpservers/web.yaml': JSON.stringify({ type: 'streamable-http', url: server.url }),
        'mcpservers/child.yaml': JSON.stringify(child),
        'workflows/traced.yaml': WORKFLOW,
      },
    });
    const connected = (): boolean =>
      gateway.log.filter(({ text }) => text === 'server connected').length === 2;
    await eventually(connected, 'both servers', 10_000);
    handle = await initialize(gateway.url());
  });
  after(async () => {
    await gateway.stop();
    await server.close();
  });

  /** The `_meta` that the tool's server received. */
  async function metaAt(name: string, _meta: object = {}, headers: object = {}): Promise<unknown> {
    const body = callBody('call_tool', { name, arguments: {} }, { _meta });
    const answer = await postMcp(gateway.url(), body, { 'mcp-session-id': handle, ...headers });
    const answers = answer.text.startsWith('{') ? [answer.json()] : answer.events();
    return toldIn(answers.at(-1) as Parameters<typeof toldIn>[0]);
  }

  for (const name of ['x_child_meta', 'x_web_meta']) {
    it(`continue from the client to the server of ${name}, from _meta and from headers`, async () => {
      expect(await metaAt(name, TRACE)).deep.equal(TRACE);
      expect(await metaAt(name, {}, TRACE)).deep.equal(TRACE);
      const { traceparent } = TRACE;
      // The tracestate header does not belong to the traceparent in _meta.
      expect(await metaAt(name, { traceparent }, TRACE)).deep.equal({ traceparent });
      expect(await metaAt(name, { ...TRACE, progressToken: 'p' }))
        .deep.include(TRACE)
        .property('progressToken');
    });
  }

  it('reach the server of a resource and of a prompt, also through the meta-tools', async () => {
    const requests = [
      ['resources/read', { uri: 'child://meta' }],
      ['prompts/get', { name: 'x_child_greet' }],
      ['tools/call', { name: 'get_resource', arguments: { uri: 'child://meta' } }],
      ['tools/call', { name: 'get_prompt', arguments: { name: 'x_child_greet' } }],
    ] as const;
    for (const [method, params] of requests) {
      const body = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: TRACE } };
      const { text } = await postMcp(gateway.url(), body, { 'mcp-session-id': handle });
      expect(text, JSON.stringify(params)).include(TRACE.traceparent).and.include(TRACE.tracestate);
    }
  });

  it('continue through workflows, and from clients of 2026-07-28', async () => {
    const steps = JSON.stringify(await metaAt('workflow_traced', TRACE));
    expect(steps).include(TRACE.traceparent).and.include(TRACE.tracestate);
    const call = statelessCall('call_tool', { name: 'x_child_meta', arguments: {} }, { meta: TRACE });
    expect((await post(gateway.url(), call)).text).include(TRACE.traceparent);
  });

  it('reach an HTTP server in headers too, as far as a header can hold them', async () => {
    const bare = (await metaAt('x_web_headers')) as Record<string, string>;
    expect(Object.keys(bare)).not.to.include.members(['traceparent', 'tracestate', 'baggage']);
    expect(await metaAt('x_web_headers', TRACE)).deep.include(TRACE);
    const wide = { ...TRACE, tracestate: 'a=1\r\nx-evil: 1', baggage: 'user=\u00e4' };
    const headers = (await metaAt('x_web_headers', wide)) as Record<string, string>;
    expect(headers).include({ traceparent: TRACE.traceparent });
    expect(Object.keys(headers)).not.to.include.members(['tracestate', 'baggage', 'x-evil']);
    expect(await metaAt('x_web_meta', wide)).deep.equal(wide);
  });

  it('are named in errors, events and the audit trail, also for calls that never run', async () => {
    const id = TRACE.traceparent.split('-')[1];
    const ask = async (method: string, params: object): Promise<string> => {
      const body = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: TRACE } };
      return (await postMcp(gateway.url(), body, { 'mcp-session-id': handle })).text;
    };
    const named = `{"code":"TOOL_NOT_FOUND","trace":"${id}"}`;
    const missing = { name: 'call_tool', arguments: { name: 'x_none', arguments: {} } };
    expect(await ask('tools/call', missing)).include(
      `"_meta":{"pegboard.dev/error":${named},"pegboard.dev/remedy":{`,
    );
    expect(await ask('resources/read', { uri: 'none://1' })).include(`"trace":"${id}"`);
    expect(await ask('tools/call', { name: 'x_child_meta', arguments: {} })).include(`"trace":"${id}"`);
    await metaAt('workflow_traced', TRACE);
    const events = { name: 'core_events', arguments: { reason: 'WorkflowStepCompleted', limit: 1 } };
    expect(await ask('tools/call', { name: 'call_tool', arguments: events })).include(`trace\\":\\"${id}`);
    const trail = join(gateway.directory, 'state', 'audit');
    const refused = (): string[] =>
      readdirSync(trail)
        .flatMap((file) => readFileSync(join(trail, file), 'utf8').split('\n'))
        .filter((line) => line.includes('"type":"refused"') && line.includes(`"trace":"${id}"`));
    // Of x_none, and of x_child_meta by its own name.
    await eventually(() => refused().length === 2, 'both refusals in the trail');
  });

  it('that are malformed are not passed on', async () => {
    const zeros = [
      '00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01',
      `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    ];
    const reserved = `ff${TRACE.traceparent.slice(2)}`;
    for (const traceparent of ['', 'x', `${TRACE.traceparent}-00`, 5, { a: 1 }, ...zeros, reserved])
      expect(
        await metaAt('x_child_meta', { traceparent, tracestate: 'a=1' }),
        JSON.stringify(traceparent),
      ).equal(null);
    const long = { ...TRACE, baggage: 'x'.repeat(10_000) };
    expect(await metaAt('x_child_meta', long)).deep.equal({
      traceparent: TRACE.traceparent,
      tracestate: TRACE.tracestate,
    });
  });
});
