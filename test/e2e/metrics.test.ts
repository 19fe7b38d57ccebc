import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { expect } from 'chai';
import { defer } from '../support/cleanup.ts';
import { makeDirectory } from '../support/directory.ts';
import { callBody, callTool, initialize } from '../support/edge.ts';
import { edgeDirectory } from '../support/edgeProcess.ts';
import { freePort } from '../support/everything.ts';
import { labelText } from '../support/metrics.ts';
import { isRefused, send } from '../support/rawHttp.ts';
import { runPegboard, servePegboard } from '../support/serve.ts';
import { otlpReceiver } from '../support/otlpReceiver.ts';
import type { OtlpReceiver } from '../support/otlpReceiver.ts';
import { until, within } from '../support/until.ts';
import { SHELF } from '../plugins/upstream/support.ts';

const LEND = { name: 'x_shelf_lend', arguments: {} };
const LENT = { tool: LEND.name, kind: 'tool', server: 'shelf', outcome: 'ok' };
const EVERY_50_MS = { OTEL_METRIC_EXPORT_INTERVAL: '50' };
const WARNING = 'metrics could not be exported; this is tried again';

/** Pegboard with one server, and a session. Only metrics are exported. */
async function serveShelf(env: Readonly<Record<string, string>>) {
  const command = JSON.stringify([process.execPath, SHELF]);
  const directory = makeDirectory({
    'config.yaml': '{}',
    'mcpservers/shelf.yaml': `type: stdio\nautoStart: true\ncommand: ${command}\n`,
  });
  const all = { OTEL_TRACES_EXPORTER: 'none', ...env };
  const pegboard = await servePegboard(directory.path, [], { env: all });
  await pegboard.logged('server connected');
  const handle = await initialize(pegboard.url);
  const lend = async (): Promise<void> => {
    const { text } = await callTool(pegboard.url, handle, callBody('call_tool', LEND));
    expect(text).include('own://');
  };
  return { pegboard, lend };
}

describe('e2e: metrics', () => {
  it('are served at /metrics of OTEL_EXPORTER_PROMETHEUS_HOST:OTEL_EXPORTER_PROMETHEUS_PORT, and only there', async () => {
    const port = String(await freePort());
    const { pegboard, lend } = await serveShelf({
      OTEL_METRICS_EXPORTER: 'prometheus',
      OTEL_EXPORTER_PROMETHEUS_HOST: '127.0.0.1',
      OTEL_EXPORTER_PROMETHEUS_PORT: port,
      OTEL_SERVICE_NAME: 'front-door',
    });
    await lend();
    const { status, headers, text } = await send(`http://127.0.0.1:${port}/metrics`);
    expect(status).equal(200);
    expect(headers['content-type']).match(/^text\/plain/);
    const labels = Object.entries(LENT).map(([name, value]) => `${name}="${value}"`);
    expect(text.split('\n'))
      .include(`pegboard_tool_calls_total{${labels.join(',')}} 1`)
      .and.include('pegboard_upstream_up{server="shelf"} 1');
    expect(text).match(/^target_info\{service_name="front-door",/m);
    expect(await isRefused(`http://[::1]:${port}/metrics`)).equal(true);
    expect((await send(`${pegboard.url}/metrics`)).status).equal(404);
  });

  it('go to a collector in protobuf or JSON, to Prometheus and to standard error at once, with the same figures', async () => {
    const instances = new Set<unknown>();
    for (const protocol of ['http/protobuf', 'http/json']) {
      const receiver = await collector();
      const { pegboard, lend } = await serveShelf({
        OTEL_METRICS_EXPORTER: 'prometheus, otlp,console',
        OTEL_EXPORTER_PROMETHEUS_PORT: '0',
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test',
        ...(protocol === 'http/json' && { OTEL_EXPORTER_OTLP_PROTOCOL: protocol }),
        ...EVERY_50_MS,
      });
      await lend();
      await lend();
      await until(() => callsIn(receiver) === 2, { what: 'both calls at the collector' });
      const calls = receiver.metrics.at(-1)?.find(({ name }) => name === 'pegboard.tool.calls');
      expect(calls).deep.include({ kind: 'sum', unit: '{call}' });
      expect(calls?.resource).include({ 'service.name': 'pegboard', 'deployment.environment': 'test' });
      instances.add(calls?.resource['service.instance.id']);
      const time = receiver.metrics.at(-1)?.find(({ name }) => name === 'pegboard.tool.duration');
      expect(time).deep.include({ kind: 'histogram', values: { 'server=shelf kind=tool outcome=ok': 2 } });
      const type = protocol === 'http/json' ? 'application/json' : 'application/x-protobuf';
      expect(new Set(receiver.posts)).deep.equal(new Set([`/v1/metrics ${type}`]));

      const { url } = await pegboard.logged('metrics are served');
      expect((await send(String(url))).text).match(
        /^pegboard_tool_calls_total\{tool="x_shelf_lend",.*\} 2$/m,
      );
      const printed = { metric: 'pegboard.tool.calls', points: [{ attributes: LENT, value: 2 }] };
      const lines = pegboard.lines as readonly object[];
      await until(() => lines.some((line) => JSON.stringify(line).includes(JSON.stringify(printed.points))));
      expect(lines.some((line) => 'metric' in line && line.metric === printed.metric)).equal(true);
      expect(pegboard.stdout.read(), 'standard output').equal(null);
      await pegboard.stop();
    }
    // Two processes at one collector are two writers.
    expect(instances.size).equal(2);
    for (const id of instances) expect(id).match(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
  });

  for (const env of [
    {},
    { OTEL_METRICS_EXPORTER: 'none' },
    { OTEL_METRICS_EXPORTER: 'prometheus,otlp', OTEL_SDK_DISABLED: 'true' },
  ])
    it(`are neither served nor sent with ${JSON.stringify(env)}`, async () => {
      const receiver = await collector();
      const port = String(await freePort());
      const { pegboard, lend } = await serveShelf({
        OTEL_EXPORTER_PROMETHEUS_PORT: port,
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        ...EVERY_50_MS,
        ...env,
      });
      await lend();
      expect(await isRefused(`http://127.0.0.1:${port}/metrics`)).equal(true);
      await pegboard.stop();
      expect(receiver.posts).deep.equal([]);
    });

  const WRONG = [
    [
      { OTEL_METRICS_EXPORTER: 'prometheus,zipkin' },
      'OTEL_METRICS_EXPORTER has zipkin; it may list prometheus, otlp, console, none',
    ],
    [
      { OTEL_METRICS_EXPORTER: 'prometheus', OTEL_EXPORTER_PROMETHEUS_PORT: '65536' },
      'OTEL_EXPORTER_PROMETHEUS_PORT is "65536"; use a number from 0 (a free port) to 65535',
    ],
    [
      { OTEL_METRICS_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      'OTEL_EXPORTER_OTLP_PROTOCOL is grpc; use http/protobuf or http/json',
    ],
    [
      { OTEL_METRICS_EXPORTER: 'console', OTEL_METRIC_EXPORT_INTERVAL: '0' },
      'OTEL_METRIC_EXPORT_INTERVAL is "0"; use a number of milliseconds above 0',
    ],
  ] as const;
  for (const [env, message] of WRONG)
    it(`refuse the start for ${JSON.stringify(env)}`, async () => {
      expect(await refusal(env)).include(message);
    });

  it('refuse the start if their port is taken, and name OTEL_EXPORTER_PROMETHEUS_PORT', async () => {
    const { url } = await openDoor(() => undefined);
    const { hostname, port } = new URL(url);
    const env = { OTEL_METRICS_EXPORTER: 'prometheus', OTEL_EXPORTER_PROMETHEUS_HOST: hostname };
    expect(await refusal({ ...env, OTEL_EXPORTER_PROMETHEUS_PORT: port })).include(
      `cannot listen on ${hostname}:${port}: another process has the port; set OTEL_EXPORTER_PROMETHEUS_PORT to another one`,
    );
  });

  it('are warned of once while the collector is away, and calls are served', async () => {
    let attempts = 0;
    const { url } = await openDoor((socket) => {
      attempts += 1;
      socket.destroy();
    });
    const { pegboard, lend } = await serveShelf({
      OTEL_METRICS_EXPORTER: 'otlp',
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_EXPORTER_OTLP_TIMEOUT: '40',
      ...EVERY_50_MS,
    });
    await until(() => attempts >= 3, { what: 'three attempts' });
    await lend();
    expect(await within(pegboard.stop())).deep.equal({ code: 0, signal: null });
    const warnings = pegboard.lines.filter(({ level }) => level === 'warn' || level === 'error');
    expect(warnings.map(({ text }) => text)).deep.equal([WARNING]);
  });

  it('are sent again when the collector takes them again', async () => {
    const receiver = await collector();
    receiver.answerWith(400);
    const { pegboard, lend } = await serveShelf({
      OTEL_METRICS_EXPORTER: 'otlp',
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      ...EVERY_50_MS,
    });
    await lend();
    await pegboard.logged(WARNING);
    receiver.answerWith(200);
    await pegboard.logged('metrics are exported again');
    await until(() => callsIn(receiver) === 1, { what: 'the call of before' });
  });

  it('are sent a last time on SIGTERM, with the calls that it waits for', async () => {
    const receiver = await collector();
    const directory = await edgeDirectory({ metrics: true });
    const pegboard = await servePegboard(directory.path, [], {
      env: { OTEL_METRICS_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url },
    });
    const handle = await initialize(pegboard.url);
    const running = callTool(pegboard.url, handle, callBody('slow'));
    await pegboard.logged('slow began');
    expect(receiver.posts).deep.equal([]);
    const exit = pegboard.stop();
    await until(() => pegboard.lines.some(({ text }) => text.startsWith('stopping')));
    process.kill(pegboard.pid, 'SIGUSR2');
    expect((await running).text).include('finished');
    expect(await within(exit)).deep.equal({ code: 0, signal: null });
    expect(receiver.posts).length(1);
    const times = receiver.metrics[0]?.find(({ name }) => name === 'pegboard.metatool.duration');
    expect(times?.values).deep.equal({ 'tool=slow outcome=ok': 1 });
  });

  it('of which a collector does not answer do not keep Pegboard from ending', async () => {
    let hasAsked = false;
    const { url } = await openDoor((socket) => void socket.once('data', () => (hasAsked = true)));
    const directory = makeDirectory({ 'config.yaml': '{}' });
    const pegboard = await servePegboard(directory.path, [], {
      env: { OTEL_METRICS_EXPORTER: 'otlp', OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: url },
    });
    // An export may take ten seconds, the last one five.
    expect(await within(pegboard.stop(), { withinMs: 9_000 })).deep.equal({ code: 0, signal: null });
    expect(hasAsked).equal(true);
  });
});

/** What a start that is refused says. */
async function refusal(env: Readonly<Record<string, string>>): Promise<string> {
  const { path } = makeDirectory({ 'config.yaml': '{}' });
  const { code, stderr } = await runPegboard(['serve', '--config-path', path, '--port', '0'], env);
  expect(code, stderr).equal(3);
  return stderr;
}

/** The calls of LEND in the last export. */
function callsIn({ metrics }: OtlpReceiver): number | undefined {
  const calls = metrics.at(-1)?.find(({ name }) => name === 'pegboard.tool.calls');
  return calls?.values[labelText(LENT)];
}

async function collector(): Promise<OtlpReceiver> {
  const receiver = await otlpReceiver();
  defer(() => receiver.close());
  return receiver;
}

/** A port at which connections are taken. */
async function openDoor(take: (socket: Socket) => void): Promise<{ readonly url: string }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    take(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  defer(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
