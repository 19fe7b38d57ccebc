import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { BootFailure } from '../../../kernel/config/pipeline.ts';
import { defer } from '../../support/cleanup.ts';
import { freePort } from '../../support/everything.ts';
import { otlpReceiver } from '../../support/otlpReceiver.ts';
import { postMcp, initialize } from '../../support/edge.ts';
import { startGateway } from '../../contract/index.ts';
import { until } from '../../support/until.ts';
import { gatewayWith } from './support.ts';

const metrics = (config: object): string => JSON.stringify({ plugins: { metrics: { config } } });

async function scraped(port: number): Promise<string> {
  // A connection that is kept may be one of a listener that has ended.
  const answer = await fetch(`http://localhost:${port}/metrics`, { headers: { connection: 'close' } });
  return answer.text();
}

describe('metrics in config.yaml', () => {
  it('begin, move and end live, and a taken port leaves them where they are', async () => {
    const [first, second] = [await freePort(), await freePort()];
    const gateway = await gatewayWith({}, { builtIns: ['metrics'], files: { 'config.yaml': '{}' } });
    const write = async (text: string): Promise<readonly string[]> => {
      gateway.directory.write('config.yaml', text);
      return (await gateway.pipeline.reload()).issues.map(({ message }) => message);
    };
    expect(await write(metrics({ exporter: 'prometheus', port: first }))).deep.equal([]);
    expect(await scraped(first)).contain('process_memory_usage_bytes');
    expect(await write(metrics({ exporter: 'prometheus', port: first, maxTools: 5 }))).deep.equal([]);
    expect(await scraped(first), 'other settings').contain('process_memory_usage_bytes');
    expect(await write(metrics({ exporter: 'prometheus', port: second, host: '127.0.0.1' }))).deep.equal([]);
    expect(await scraped(second)).contain('process_memory_usage_bytes');
    const other = createServer().listen(0, '127.0.0.1');
    defer(() => void other.close());
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const [fault] = await write(metrics({ exporter: 'prometheus', port, host: '127.0.0.1' }));
    expect(fault).contain(String(port)).and.contain('plugins.metrics.config.port');
    expect(await scraped(second), 'after a refused edit').contain('process_memory_usage_bytes');
    expect(await write('{}')).deep.equal([]);
    const refused: unknown = await scraped(second).catch((error: unknown) => error);
    expect(refused).instanceOf(TypeError);
  });

  it('give way to the environment', async () => {
    const [said, named] = [await freePort(), await freePort()];
    const env = { OTEL_METRICS_EXPORTER: 'prometheus', OTEL_EXPORTER_PROMETHEUS_PORT: String(named) };
    const files = {
      'config.yaml': metrics({ exporter: 'otlp', port: said, endpoint: 'http://127.0.0.1:1' }),
    };
    await gatewayWith(env, { builtIns: ['metrics'], files });
    expect(await scraped(named)).contain('process_memory_usage_bytes');
    await gatewayWith({ OTEL_METRICS_EXPORTER: 'none' }, { builtIns: ['metrics'], files });
  });

  it('are refused with their place if nothing has the name of the exporter', async () => {
    const files = { 'config.yaml': 'plugins:\n  metrics:\n    config: { exporter: statsd }\n' };
    const refused: unknown = await gatewayWith({}, { builtIns: ['metrics'], files }).catch(
      (error: unknown) => error,
    );
    const { issues } = refused as BootFailure;
    expect(issues[0]).include({ line: 3, column: 15 });
    expect(issues[0]?.message).contain('exporter');
  });

  it('are refused with the key of an address that is not a URL, once they use it', async () => {
    const gateway = await gatewayWith(
      {},
      { builtIns: ['metrics', 'tracing'], files: { 'config.yaml': '{}' } },
    );
    const faultsOf = async (plugin: string, exporter: string): Promise<readonly string[]> => {
      const config = { exporter, endpoint: 'http://me:hunter2@collector:port' };
      gateway.directory.write('config.yaml', JSON.stringify({ plugins: { [plugin]: { config } } }));
      return (await gateway.pipeline.reload()).issues.map(({ message }) => message);
    };
    for (const plugin of ['metrics', 'tracing']) {
      const [fault, ...others] = await faultsOf(plugin, 'console,otlp');
      const words = 'is not a URL: its host or port cannot be read; write it as http://collector:4318';
      expect(fault).include(`plugins.${plugin}.config.endpoint ${words}`).and.not.include('hunter2');
      expect(others).deep.equal([]);
      expect(await faultsOf(plugin, 'console')).deep.equal([]);
    }
  });

  it('show the delays of the event loop to each of two readers', async () => {
    const port = await freePort();
    const files = { 'config.yaml': metrics({ exporter: 'prometheus', port }) };
    await gatewayWith({}, { builtIns: ['metrics'], files });
    const delays = async (): Promise<readonly string[]> =>
      (await scraped(port)).split('\n').filter((line) => line.startsWith('nodejs_eventloop_delay_seconds{'));
    const first = await until(async () => {
      const lines = await delays();
      return lines.length > 0 ? lines : undefined;
    });
    expect(await delays()).deep.equal(first);
  });
});

describe('traces in config.yaml', () => {
  it('go to its endpoint', async () => {
    const receiver = await otlpReceiver();
    const config = { exporter: 'otlp', endpoint: receiver.url };
    const gateway = await startGateway({
      files: { 'config.yaml': JSON.stringify({ plugins: { tracing: { config } } }) },
    });
    const handle = await initialize(gateway.url());
    await postMcp(
      gateway.url(),
      { jsonrpc: '2.0', id: 2, method: 'tools/list' },
      { 'mcp-session-id': handle },
    );
    await gateway.stop();
    expect(receiver.spans.map(({ name }) => name)).include('tools/list');
    await receiver.close();
  });
});
