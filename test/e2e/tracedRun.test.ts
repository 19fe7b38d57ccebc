import { expect } from 'chai';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { defer } from '../support/cleanup.ts';
import { makeDirectory } from '../support/directory.ts';
import { McpClient, textOf } from '../support/mcpClient.ts';
import { servePegboard } from '../support/serve.ts';
import type { Pegboard } from '../support/serve.ts';
import { otlpReceiver } from '../support/otlpReceiver.ts';
import type { ReceivedSpan, OtlpReceiver } from '../support/otlpReceiver.ts';
import { until } from '../support/until.ts';
import { programAt } from '../support/programs.ts';

const RELAY = programAt('test/support/relayServer.ts');
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = '00f067aa0ba902b7';
const _meta = { traceparent: `00-${TRACE}-${PARENT}-01` };
const CONFIG = { plugins: { audit: {}, 'call-log': { config: { slowMs: 0 } }, tracing: {} } };
/** Where the secrets of one call come from. */
const PLANTED = {
  environment: 'planted-env-4711',
  sensitive: 'planted-input-4712',
  authorization: 'planted-bearer-4713',
  password: 'planted-password-4714',
};

describe('e2e: one traced run', () => {
  let receiver: OtlpReceiver;
  const env = (url: string) => ({
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '10',
    OTEL_EXPORTER_OTLP_TIMEOUT: '1000',
    OTEL_METRICS_EXPORTER: 'prometheus',
    OTEL_EXPORTER_PROMETHEUS_PORT: '0',
  });
  before(async () => {
    receiver = await otlpReceiver();
    defer(() => receiver.close());
  });

  function directoryWith(tracing: object = {}) {
    const command = [process.execPath, ...RELAY, 'stdio'];
    const child = { type: 'stdio', autoStart: true, command, env: { KEY: PLANTED.environment } };
    const plugins = { ...CONFIG.plugins, tracing: { config: tracing } };
    return makeDirectory({
      'config.yaml': JSON.stringify({ plugins }),
      'mcpservers/child.yaml': JSON.stringify(child),
      'workflows/traced.yaml': `
args: { pin: { type: string, sensitive: true } }
steps: [{ id: one, tool: x_child_meta, args: { pin: '{{ .input.pin }}', key: ${PLANTED.environment} }, output: true }]
`,
    });
  }
  async function start(directory: ReturnType<typeof makeDirectory>, url = receiver.url): Promise<Pegboard> {
    const pegboard = await servePegboard(directory.path, ['--log-level', 'debug'], { env: env(url) });
    await pegboard.logged('server connected');
    return pegboard;
  }
  const run = (client: McpClient, name: string, args: object = {}) =>
    client.request('tools/call', { name: 'call_tool', arguments: { name, arguments: args }, _meta });
  const ofTrace = (): readonly ReceivedSpan[] => receiver.spans.filter(({ traceId }) => traceId === TRACE);
  const auditOf = (directory: ReturnType<typeof makeDirectory>): string => {
    const folder = directory.at('state/audit');
    return readdirSync(folder)
      .map((file) => readFileSync(join(folder, file), 'utf8'))
      .join('');
  };

  it('is one trace from client to server, whose id is in lines, events, audit and errors', async () => {
    const directory = directoryWith();
    const pegboard = await start(directory);
    const client = await McpClient.connect(pegboard.url);
    const answer = JSON.stringify(await run(client, 'workflow_traced', { pin: '1' }));
    await until(() => ofTrace().length >= 5, { what: 'the spans' });
    const chain: string[] = [];
    let [next] = ofTrace().filter(({ parentSpanId }) => parentSpanId === PARENT);
    let last = '';
    while (next !== undefined) {
      chain.push(next.name);
      last = next.spanId;
      next = ofTrace().find(({ parentSpanId }) => parentSpanId === last);
    }
    expect(chain).deep.equal([
      'tools/call call_tool',
      'execute_tool call_tool',
      'invoke_workflow traced',
      'step one',
      'tools/call meta',
    ]);
    // What the server received.
    expect(answer).include(`00-${TRACE}-${last}-01`);
    const error = JSON.stringify(await run(client, 'x_none'));
    expect(error).include(`"pegboard.dev/error":{"code":"TOOL_NOT_FOUND","trace":"${TRACE}"}`);
    const events = await client.callTool('core_events', { reason: 'WorkflowStepCompleted' });
    expect(textOf(events)).include(TRACE);
    const lines = pegboard.lines.filter(({ trace }) => trace === TRACE);
    expect(lines.map(({ text, tool }) => [text, tool])).deep.equal([
      ['call', 'x_child_meta'],
      ['call', 'workflow_traced'],
      ['call refused', 'x_none'],
      ['call', 'call_tool'],
    ]);
    await until(() => auditOf(directory).includes('"x_none"'), { what: 'the refusal in the audit trail' });
    const audited = auditOf(directory)
      .split('\n')
      .filter((line) => line.includes(TRACE));
    for (const name of ['x_child_meta', 'workflow_traced', 'x_none'])
      expect(audited.join('\n')).include(`"${name}"`);
    await pegboard.stop();
  });

  for (const content of [false, true])
    it(`has no secret in spans, lines, events and metrics with content: ${content}`, async () => {
      receiver.spans.length = 0;
      const pegboard = await start(directoryWith({ content }));
      const headers = { authorization: `Bearer ${PLANTED.authorization}` };
      const client = await McpClient.connect(pegboard.url, { headers });
      const { environment, sensitive, password } = PLANTED;
      await run(client, 'workflow_traced', { pin: sensitive });
      await run(client, 'x_child_meta', { note: `plain and ${environment}`, password });
      await run(client, 'x_child_fail', { code: -32042, message: environment, data: {} });
      const events = textOf(await client.callTool('core_events', {}));
      await until(() => ofTrace().length >= 11, { what: 'the spans' });
      const { url } = await pegboard.logged('metrics are served');
      const metrics = await (await fetch(String(url))).text();
      expect(metrics).include('x_child_fail');
      expect(JSON.stringify(receiver.spans).includes('plain and [redacted]')).equal(content);
      for (const [place, secret] of Object.entries(PLANTED)) {
        expect(JSON.stringify(receiver.spans), place).not.include(secret);
        expect(JSON.stringify(pegboard.lines), place).not.include(secret);
        expect(events + metrics, place).not.include(secret);
      }
      await pegboard.stop();
    });

  it('has one warning in the log while the collector is away, and calls answer', async () => {
    const away = await otlpReceiver();
    await away.close();
    const pegboard = await start(directoryWith(), away.url);
    const client = await McpClient.connect(pegboard.url);
    await pegboard.logged('traces could not be exported');
    for (let at = 0; at < 100; at += 1)
      expect(JSON.stringify(await run(client, 'x_child_meta'))).include(TRACE);
    await pegboard.stop();
    const told = pegboard.lines.filter(({ text }) => text.includes('traces'));
    expect(told.map(({ level }) => level)).deep.equal(['warn']);
  });
});
