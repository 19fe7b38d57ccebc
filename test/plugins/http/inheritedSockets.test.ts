import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { expect } from 'chai';
import { makeDirectory } from '../../support/directory.ts';
import { EVERYTHING } from '../../support/everything.ts';
import { McpClient } from '../../support/mcpClient.ts';
import { servePegboard } from '../../support/serve.ts';
import { until } from '../../support/until.ts';

async function opened(host = '127.0.0.1'): Promise<{ server: Server; url: string }> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
const health = async (url: string): Promise<number> => (await fetch(`${url}/health`)).status;
const served = (url: string): Promise<boolean> =>
  until(async () => (await health(url).catch(() => 0)) === 200, { withinMs: 10_000 });
const refused = (url: string): Promise<boolean> =>
  until(async () => (await health(url).catch(() => 0)) === 0, { withinMs: 10_000 });

describe('http: sockets that another process has opened', function () {
  this.timeout(60_000);

  it('are served in place of host and port of the settings, and stay open over a reload and a restart of the listener', async () => {
    const [one, two] = [await opened(), await opened()];
    const command = [process.execPath, EVERYTHING, 'stdio'];
    const directory = makeDirectory({
      'config.yaml': '',
      'mcpservers/e.yaml': JSON.stringify({ type: 'stdio', command, autoStart: true }),
    });
    const gateway = await servePegboard(directory.path, [], { sockets: [one.server, two.server] });
    expect(gateway.url).equal(one.url.replace('127.0.0.1', 'localhost'));
    const client = await McpClient.connect(one.url);
    expect(await health(two.url)).equal(200);
    directory.write(
      'config.yaml',
      'plugins: { http: { config: { keepAliveTimeoutMs: 4000 } }, limits: true }\n',
    );
    await gateway.logged('configuration applied');
    const restart = { name: 'core_service_restart', arguments: { name: 'mcp-aggregator' } };
    await client.callTool('call_tool', restart);
    expect([await health(one.url), await health(two.url)]).deep.equal([200, 200]);
    await gateway.stop();
  });

  it('are left when the settings name another place, with a warning', async () => {
    const { server, url } = await opened();
    const directory = makeDirectory({ 'config.yaml': '' });
    const gateway = await servePegboard(directory.path, [], { sockets: [server] });
    expect(await health(url)).equal(200);
    directory.write('config.yaml', "aggregator: { host: '::1' }\n");
    await until(() => gateway.lines.some(({ text }) => text.includes('pegboard service install')));
    await until(() =>
      health(url).then(
        () => false,
        () => true,
      ),
    );
    await gateway.stop();
  });

  it('refuse clients while the settings name another place, and are served again when they name the first', async () => {
    const { server, url } = await opened();
    const directory = makeDirectory({ 'config.yaml': '' });
    const gateway = await servePegboard(directory.path, [], { sockets: [server] });
    directory.write('config.yaml', "aggregator: { host: '::1' }\n");
    await refused(url);
    directory.write('config.yaml', 'aggregator: { host: localhost }\n');
    await served(url);
    await gateway.stop();
  });

  it('refuse clients while the listener is stopped, and are served again after an edit', async () => {
    const { server, url } = await opened();
    const directory = makeDirectory({ 'config.yaml': '' });
    const gateway = await servePegboard(directory.path, [], { sockets: [server] });
    const client = await McpClient.connect(url);
    const stop = { name: 'core_service_stop', arguments: { name: 'mcp-aggregator', confirm: true } };
    await client.callTool('call_tool', stop);
    await refused(url);
    directory.write('config.yaml', 'aggregator: { logLevel: info }\n');
    await served(url);
    await gateway.stop();
  });

  it('are taken once: after the plugin was off, the settings count, and a port that systemd holds is told', async () => {
    const { server, url } = await opened();
    const { port } = new URL(url);
    const directory = makeDirectory({ 'config.yaml': '' });
    const flags = ['--port', port, '--set', 'aggregator.host=127.0.0.1'];
    const env = { INVOCATION_ID: '0' };
    const gateway = await servePegboard(directory.path, flags, { sockets: [server], env });
    directory.write('config.yaml', 'plugins: { http: false }\n');
    await refused(url);
    const holder = createServer().listen(Number(port), '127.0.0.1');
    await once(holder, 'listening');
    directory.write('config.yaml', 'plugins: { http: true }\n');
    await until(() => gateway.lines.some((line) => JSON.stringify(line).includes('restart the service')));
    holder.close();
    await once(holder, 'close');
    directory.write('config.yaml', 'plugins: { http: true, limits: true }\n');
    await served(url);
    await gateway.stop();
  });

  it('are warned of if they listen beyond this machine, and host of the settings does not', async () => {
    const { server } = await opened('0.0.0.0');
    const gateway = await servePegboard(makeDirectory({ 'config.yaml': '' }).path, [], { sockets: [server] });
    await gateway.logged('the socket that was opened for this process listens beyond this machine');
    await gateway.stop();
  });
});
