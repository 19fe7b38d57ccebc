import { expect } from 'chai';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { BootFailure } from '../../../kernel/config/pipeline.ts';
import { textResult } from '../../../kernel/index.ts';
import {
  MCP_HEADERS,
  callBody,
  callTool,
  initialize,
  initializeBody,
  listenerOf,
  listenerUrl,
  metaTool,
  startEdge,
  testTools,
} from '../../support/edge.ts';
import type { Edge } from '../../support/edge.ts';
import { defer } from '../../support/cleanup.ts';
import { bootGateway } from '../../support/gateway.ts';
import type { Gateway } from '../../support/gateway.ts';
import { isRefused, openSocket, openStream, send } from '../../support/rawHttp.ts';
import { until, within } from '../../support/until.ts';

async function takePort(host = '127.0.0.1'): Promise<{ port: number; free(): Promise<void> }> {
  const server: Server = createServer();
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const free = (): Promise<void> => new Promise((resolve) => server.close(() => resolve()));
  defer(() => (server.listening ? free() : undefined));
  return { port: (server.address() as AddressInfo).port, free };
}

/** Listens on the port itself, once it is free. */
function isFree(server: Server, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
}

/** The text of a call of `echo` in a new session. */
async function echoing(url: string): Promise<string> {
  const body = JSON.stringify(callBody('echo', { a: 1 }));
  const headers = { ...MCP_HEADERS, 'mcp-session-id': await initialize(url), host: 'localhost' };
  const lines = Object.entries({ ...headers, 'content-length': body.length }).map((pair) => pair.join(': '));
  return ['POST /mcp HTTP/1.1', ...lines, '', body].join('\r\n');
}

describe('http: the listener', () => {
  it('listens on both loopback addresses when the host is localhost, on one port', async () => {
    const { gateway } = await startEdge();
    const { port } = new URL(listenerUrl(gateway));
    expect((await send(`http://127.0.0.1:${port}/health`)).status).equal(200);
    expect((await send(`http://[::1]:${port}/health`)).status).equal(200);
  });

  it('listens on the one address it is given', async () => {
    const { gateway } = await startEdge({ aggregator: { host: '::1' } });
    expect(listenerUrl(gateway)).match(/^http:\/\/\[::1\]:\d+$/);
    expect((await send(`${listenerUrl(gateway)}/health`)).status).equal(200);
  });

  it('does not start on a port in use, and explains how to choose another', async () => {
    const taken = await takePort();
    const failure = await startEdge({ aggregator: { port: taken.port } }).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failure).instanceOf(BootFailure);
    const [issue] = (failure as BootFailure).issues;
    expect(issue?.code).equal('PLUGIN_START');
    expect(issue?.message).include(String(taken.port)).and.include('--port');
  });

  it('warns when it listens beyond this machine', async () => {
    const { gateway } = await startEdge({ aggregator: { host: '0.0.0.0' } });
    expect(gateway.log.having('beyond this machine', 'warn')).length(1);
  });

  it('does not start beyond this machine without a guard if it shall refuse, nor lose that guard live', async () => {
    const config = (localToken: boolean, more: object = {}): string =>
      JSON.stringify({
        aggregator: { host: '0.0.0.0', port: 0, localToken },
        plugins: { http: { config: { unguarded: 'refuse' } }, ...more },
      });
    const start = (text: string): Promise<Gateway> =>
      bootGateway({
        builtIns: ['http', 'front', 'transport-http', 'local-token'],
        files: { 'config.yaml': text, 'state/.keep': '' },
      });
    const failure = await start(config(false)).catch((error: unknown) => error);
    expect(failure).instanceOf(BootFailure);
    const said = (failure as BootFailure).issues.map(({ message }) => message).join();
    expect(said).include('configure aggregator.oauth.server or aggregator.localToken: true');
    const gateway = await start(config(true));
    expect(gateway.log.having('beyond this machine')).length(0);
    for (const text of [config(false), config(true, { 'local-token': false })]) {
      gateway.directory.write('config.yaml', text);
      await gateway.pipeline.reload();
      const issues = gateway.pipeline.lastReport()?.issues ?? [];
      expect(issues.map(({ message }) => message).join()).include('beyond this machine');
      expect((await send(`${listenerUrl(gateway)}/mcp`, { method: 'POST' })).status).equal(401);
    }
  });

  it('moves to another port live, and leaves the old one', async () => {
    const next = await takePort();
    await next.free();
    const edge = await startEdge();
    const old = edge.url;
    await edge.configure({ aggregator: { port: next.port } });
    expect(edge.url).equal(`http://127.0.0.1:${next.port}`);
    expect((await send(`${edge.url}/health`)).status).equal(200);
    expect(await isRefused(`${old}/health`)).equal(true);
  });

  it('returns to its port when the new one is taken', async () => {
    const first = await takePort();
    await first.free();
    const taken = await takePort();
    const edge = await startEdge({ aggregator: { port: first.port } });
    await edge.configure({ aggregator: { port: taken.port } });
    expect((await send(`http://127.0.0.1:${first.port}/health`)).status).equal(200);
    const issues = edge.gateway.pipeline.lastReport()?.issues ?? [];
    expect(issues.map(({ message }) => message).join()).include(String(taken.port));
  });

  /** Requests repeatedly during `work`, each time over a new connection. @returns the number of refused connections */
  async function refusedDuring(url: string, work: Promise<void>): Promise<number> {
    let refused = 0;
    let isDone = false;
    const asking = (async () => {
      while (!isDone as boolean) if (await isRefused(`${url}/health`)) refused += 1;
    })();
    await work.finally(() => (isDone = true));
    await asking;
    return refused;
  }

  it('applies another maxHeaderBytes without closing anything', async () => {
    const edge = await startEdge();
    const big = { headers: { 'x-padding': 'x'.repeat(20_000) } };
    expect((await send(`${edge.url}/health`, big)).status).equal(431);
    const { write, heard } = await openSocket(edge.url);
    const change = edge.configure({ plugins: { http: { config: { maxHeaderBytes: 65_536 } } } });
    expect(await refusedDuring(edge.url, change)).equal(0);
    expect((await send(`${edge.url}/health`, big)).status).equal(200);
    write('GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await heard(/"ok"/);
    expect(edge.gateway.pipeline.lastReport()?.actions).deep.equal({ http: 'reload' });
  });

  it('finishes requests at the old port when it moves, ends streams there, and does not wait', async () => {
    const test = testTools();
    const next = await takePort();
    await next.free();
    const edge = await startEdge({ tools: test.tools });
    const old = edge.url;
    const handle = await initialize(old);
    const stream = await openStream(`${old}/mcp`, { headers: { 'mcp-session-id': handle } });
    const call = callTool(old, handle, callBody('slow'));
    const [waiting] = await test.started(1);
    await edge.configure({ aggregator: { port: next.port } });
    expect(await isRefused(`${old}/health`)).equal(true);
    expect((await send(`${edge.url}/health`)).status).equal(200);
    await within(stream.ended);
    waiting?.finish('late');
    expect((await call).text).include('late');
  });

  it('never closes its port for one that is taken', async () => {
    const test = testTools();
    const taken = await takePort();
    const edge = await startEdge({ tools: test.tools });
    const call = callTool(edge.url, await initialize(edge.url), callBody('slow'));
    const [waiting] = await test.started(1);
    const change = edge.configure({ aggregator: { port: taken.port } });
    expect(await refusedDuring(edge.url, change)).equal(0);
    const { applied, issues = [] } = edge.gateway.pipeline.lastReport() ?? {};
    expect(applied).equal(false);
    expect(issues.map(({ message }) => message).join()).include(
      `:${taken.port}: another process has the port`,
    );
    waiting?.finish('whole');
    expect((await call).text).include('whole');
  });

  it('stays at its port with more addresses or fewer', async () => {
    const place = await takePort();
    await place.free();
    const test = testTools();
    const edge = await startEdge({ aggregator: { port: place.port }, tools: test.tools });
    const call = callTool(edge.url, await initialize(edge.url), callBody('slow'));
    const [waiting] = await test.started(1);
    for (const host of ['0.0.0.0', '127.0.0.1', 'localhost', '::1', 'localhost']) {
      await edge.configure({ aggregator: { port: place.port, host } });
      const { applied, issues } = edge.gateway.pipeline.lastReport() ?? {};
      expect([host, applied, issues?.filter(({ severity }) => severity === 'error')]).deep.equal([
        host,
        true,
        [],
      ]);
      const isOpen = async (address: string): Promise<boolean> =>
        !(await isRefused(`http://${address}:${place.port}/health`));
      expect([host, await isOpen('127.0.0.1'), await isOpen('[::1]')]).deep.equal([
        host,
        host !== '::1',
        ['localhost', '::1'].includes(host),
      ]);
    }
    waiting?.finish('whole');
    expect((await call).text).include('whole');
  });

  it('is switched off and on live', async () => {
    const edge = await startEdge();
    const { url } = edge;
    await edge.configure({ plugins: { http: false } });
    expect(await isRefused(`${url}/health`)).equal(true);
    await edge.configure({});
    expect((await send(`${edge.url}/health`)).status).equal(200);
  });

  /** An edge with the meta-tools `shut` and `reopen`, which act on the listener that serves them. */
  async function shuttable() {
    const tool = (name: 'shut' | 'reopen') =>
      metaTool(name, async () => {
        await listenerOf(edge.gateway)[name]();
        return textResult(`${name} done`);
      });
    const test = testTools();
    const edge: Edge = await startEdge({ tools: [tool('shut'), tool('reopen'), ...test.tools] });
    return { edge, test };
  }

  it('closes after answering the request that stopped it, ends streams, and finishes requests under way', async () => {
    const { edge, test } = await shuttable();
    const { url } = edge;
    const handle = await initialize(url);
    const stream = await openStream(`${url}/mcp`, { headers: { 'mcp-session-id': handle } });
    const slow = callTool(url, handle, callBody('slow'));
    const [waiting] = await test.started(1);
    expect((await callTool(url, handle, callBody('shut'))).text).include('shut done');
    expect(listenerOf(edge.gateway).url()).equal(undefined);
    expect(await isRefused(`${url}/health`)).equal(true);
    await within(stream.ended);
    waiting?.finish('late');
    expect((await slow).text).include('late');
  });

  it('answers on the older event stream before it closes', async () => {
    const { edge } = await shuttable();
    const stream = await openStream(`${edge.url}/sse`);
    await until(() => stream.text().includes('\n\n'), { what: 'the endpoint event' });
    const [, path = ''] = /^event: endpoint\ndata: (.*)$/m.exec(stream.text()) ?? [];
    const post = (body: unknown) =>
      send(new URL(path, `${edge.url}/sse`).href, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
    await post(initializeBody('2024-11-05'));
    await post(callBody('shut'));
    await within(stream.ended);
    expect(stream.text()).include('shut done');
  });

  it('opens again at its port after an edit of config.yaml and after SIGHUP, and not because of another file', async () => {
    const { edge } = await shuttable();
    const { url, gateway } = edge;
    const listener = listenerOf(gateway);
    const others = process.listenerCount('SIGHUP');
    listener.shut();
    await gateway.pipeline.reload();
    expect(await isRefused(`${url}/health`)).equal(true);
    await edge.configure({});
    expect((await send(`${url}/health`)).status).equal(200);
    listener.shut();
    process.emit('SIGHUP', 'SIGHUP');
    await until(() => !listener.isShut(), { what: 'the listener is open' });
    expect((await send(`${url}/health`)).status).equal(200);
    expect(process.listenerCount('SIGHUP')).equal(others);
  });

  it('closes and opens again when it is restarted, and answers the request that restarted it', async () => {
    const { edge } = await shuttable();
    const { url } = edge;
    const handle = await initialize(url);
    const stream = await openStream(`${url}/mcp`, { headers: { 'mcp-session-id': handle } });
    const { write, heard, closed } = await openSocket(url);
    write('GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await heard(/"ok"/);
    const answer = await callTool(url, handle, callBody('reopen'));
    expect(answer.text).include('reopen done');
    expect(answer.headers.connection).equal('close');
    await within(Promise.all([stream.ended, closed]));
    expect(edge.url).equal(url);
    expect((await callTool(url, handle, callBody('echo', { a: 1 }))).text).include('{\\"a\\":1}');
  });

  it('reports why it stays closed when its port was taken meanwhile', async () => {
    const { edge } = await shuttable();
    const port = Number(new URL(edge.url).port);
    listenerOf(edge.gateway).shut();
    const taken = createServer();
    await until(() => isFree(taken, port), { what: 'the port is free' });
    defer(() => void taken.close());
    edge.gateway.directory.remove('config.yaml');
    await edge.gateway.pipeline.reload();
    const told = (): boolean => edge.gateway.log.having('the listener stays closed', 'error').length === 1;
    await until(told, { what: 'the log says why' });
    const failure: unknown = await listenerOf(edge.gateway)
      .reopen()
      .catch((error: unknown) => error);
    expect(String(failure)).include('another process has the port');
  });

  it('closes idle connections when it stops', async () => {
    const { gateway, url } = await startEdge();
    const { write, heard, closed } = await openSocket(url);
    write('GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await heard(/"ok"/);
    await Promise.all([gateway.stop(), within(closed)]);
  });

  it('with drainMs it is not ready first, and closes each connection with a response before it listens no more', async () => {
    const edge = await startEdge({ plugins: { http: { config: { drainMs: 500 } } } });
    const { gateway, url } = edge;
    const handle = await initialize(url);
    const { write, heard, closed, received } = await openSocket(url);
    write('GET /ready HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await heard(/"ready"/);
    const stopped = gateway.stop();
    await until(async () => (await send(`${url}/ready`)).status === 503, { what: 'it is not ready' });
    expect((await send(`${url}/health`)).status).equal(200);
    const answer = await callTool(url, handle, callBody('echo', { a: 1 }));
    expect(answer.text).include('{\\"a\\":1}');
    expect(answer.headers.connection).equal('close');
    write('GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await heard(/"ok"/);
    expect(received()).match(/connection: close/i);
    await within(closed);
    await within(stopped);
    expect(await isRefused(`${url}/health`)).equal(true);
  });

  it('answers a request that has arrived on an idle connection when it stops', async () => {
    const { gateway, url } = await startEdge();
    const { write, heard, received, closed } = await openSocket(url);
    const request = await echoing(url);
    write(request);
    await heard(/"a/);
    write(request);
    await Promise.all([gateway.stop(), within(closed)]);
    expect(received().match(/"text":"{\\"a\\":1}"/g), received()).length(2);
  });

  it('answers a request whose connection was opened just before it stops', async () => {
    const { gateway, url } = await startEdge();
    const request = await echoing(url);
    const { write, closed } = await openSocket(url);
    const stopped = gateway.stop();
    await until(() => isRefused(`${url}/health`), { what: 'no new connection is taken' });
    write(request);
    const answer = await within(closed);
    expect(answer).include('"text":"{\\"a\\":1}"');
    expect(answer).match(/connection: close/i);
    await within(stopped);
  });

  it('ends a stream that opens while it stops', async () => {
    const { gateway, url } = await startEdge();
    const handle = await initialize(url);
    const { write, closed } = await openSocket(url);
    const stopped = gateway.stop();
    await until(() => isRefused(`${url}/health`), { what: 'no new connection is taken' });
    const lines = ['host: localhost', 'accept: text/event-stream', `mcp-session-id: ${handle}`];
    write(['GET /mcp HTTP/1.1', ...lines, '', ''].join('\r\n'));
    expect(await within(closed, { withinMs: 5_000 })).include('text/event-stream');
    await within(stopped);
  });

  it('does not wait for connections without a request when it stops', async () => {
    const { gateway, url } = await startEdge();
    const { closed } = await openSocket(url);
    await Promise.all([within(gateway.stop()), within(closed)]);
  });

  it('shares its sockets with other processes also while it is shut, and opens them again', async () => {
    const { gateway, url } = await startEdge();
    const listener = listenerOf(gateway);
    const shared = listener.share();
    listener.shut();
    expect(listener.share()).deep.equal(shared).and.not.empty;
    await listener.reopen();
    expect((await fetch(`${url}/health`)).status).equal(200);
  });

  it('serves nothing with aggregator.enabled false', async () => {
    const { gateway } = await startEdge({ aggregator: { enabled: false } });
    expect(gateway.kernel.running.map(({ plugin }) => plugin.name)).deep.equal(['test-tools']);
  });
});
