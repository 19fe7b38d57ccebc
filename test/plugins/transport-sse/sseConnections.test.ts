import { expect } from 'chai';
import { once } from 'node:events';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { identify } from '../../support/identify.ts';
import { callBody, initializeBody, startEdge, testTools } from '../../support/edge.ts';
import type { EdgeOptions } from '../../support/edge.ts';
import { defer } from '../../support/cleanup.ts';
import { open as openRequest, send } from '../../support/rawHttp.ts';
import { connectSse } from '../../support/sseClient.ts';
import { startPrefixProxy } from '../../support/prefixProxy.ts';
import { until, within } from '../../support/until.ts';

interface OldTransport {
  readonly SSEClientTransport: new (url: URL) => Transport;
}
describe('transport-sse', () => {
  async function open(options: EdgeOptions = {}) {
    const tools = testTools();
    const edge = await startEdge({ tools: tools.tools, ...options });
    return { edge, tools, ...(await connectSse(edge.url)) };
  }

  it('names the path to post to, accepts with 202 and answers on the stream', async () => {
    const { stream, path, post } = await open();
    expect(stream.headers['content-type']).equal('text/event-stream');
    expect(path).match(/^\/message\?sessionId=[\w-]{36}$/);
    const accepted = await post(initializeBody('2024-11-05'));
    expect(accepted.status).equal(202);
    const [answer] = await stream.heard(1);
    expect(answer).include({ id: 0 });
    expect(answer?.result).include({ protocolVersion: '2024-11-05' });
    expect(accepted.headers).not.have.property('mcp-session-id');
    await post(callBody('echo', { a: 1 }));
    expect(JSON.stringify((await stream.heard(2))[1])).include('{\\"a\\":1}');
  });

  it('opens no session for a message that is complete only when its stream has ended', async () => {
    const { edge, stream, path, post } = await open();
    const body = JSON.stringify(initializeBody('2024-11-05'));
    const headers = {
      'content-type': 'application/json',
      'content-length': body.length,
      expect: '100-continue',
    };
    let status = 0;
    const slow = openRequest(edge.url + path, { method: 'POST', headers }, (res) => {
      status = res.statusCode ?? 0;
      res.resume();
    });
    defer(() => slow.destroy());
    slow.write(body.slice(0, 10));
    await within(once(slow, 'continue'), { what: 'the head is read' });
    await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    stream.close();
    const isGone = async (): Promise<boolean> => (await post('{}')).status === 404;
    await until(isGone, { what: 'the stream is let go' });
    slow.end(body.slice(10));
    expect(await until(() => status, { what: 'the answer' })).equal(404);
  });

  it('serves the SDK client', async () => {
    const { edge, tools } = await open();
    const client = new Client({ name: 'test', version: '1' });
    // Deprecated like the transport itself, which is why it is tried here.
    const { SSEClientTransport } = (await import('@modelcontextprotocol/sdk/client/sse.js')) as OldTransport;
    await client.connect(new SSEClientTransport(new URL(`${edge.url}/sse`)));
    defer(() => client.close());
    expect((await client.listTools()).tools.map(({ name }) => name)).include('echo');
    const progress: number[] = [];
    const result = client.callTool({ name: 'slow', arguments: {} }, undefined, {
      onprogress: (update) => progress.push(update.progress),
    });
    const [waiting] = await tools.started(1);
    waiting?.call.progress?.({ progress: 1 });
    waiting?.call.progress?.({ progress: 2 });
    await until(() => progress.length === 2, { what: 'progress reaches the client' });
    waiting?.finish();
    expect((await result).content).deep.equal([{ type: 'text', text: 'done' }]);
  });

  for (const end of ['/sse', '/sse/'])
    it(`serves clients behind a proxy that adds a prefix to the path, at ${end}`, async () => {
      const { SSEClientTransport } =
        (await import('@modelcontextprotocol/sdk/client/sse.js')) as OldTransport;
      const edge = await startEdge();
      const client = new Client({ name: 'test', version: '1' });
      await client.connect(new SSEClientTransport(new URL((await startPrefixProxy(edge.url)) + end)));
      defer(() => client.close());
      expect((await client.listTools()).tools.map(({ name }) => name)).include('echo');
    });

  it('answers 404 to an unknown stream, and to another caller', async () => {
    const edge = await startEdge({ plugin: identify });
    const { path, post } = await connectSse(edge.url, { 'x-caller': 'a alice' });
    for (const sessionId of ['', 'x', '__proto__'])
      expect((await send(`${edge.url}/message?sessionId=${sessionId}`, { method: 'POST' })).status).equal(
        404,
      );
    const other = await connectSse(edge.url);
    expect(other.path).not.equal(path);
    expect((await post(initializeBody(), { 'x-caller': 'a bob' })).status).equal(404);
    expect((await post(initializeBody(), { 'x-caller': 'b alice' })).status).equal(404);
    expect((await post(initializeBody())).status).equal(202);
  });

  it('answers 415 to another media type and 413 to a body over the limit', async () => {
    const { post } = await open({ plugins: { http: { config: { maxBodyBytes: 1_024 } } } });
    expect((await post('{}', { 'content-type': 'text/plain' })).status).equal(415);
    expect((await post(' '.repeat(2_000))).status).equal(413);
  });

  it('answers a refused message on the stream, under its id if it has one', async () => {
    const { stream, post } = await open();
    await post('{');
    await post(callBody('echo', {}, { id: 'early' }));
    const [broken, early] = await stream.heard(2);
    expect(broken).include({ id: null });
    expect(broken?.error?.code).equal(-32700);
    expect(early).include({ id: 'early' });
    expect(early?.error?.message).include('initialize');
  });

  it('sends progress before the answer and none after, on one line each', async () => {
    const { stream, post } = await open();
    await post(initializeBody());
    await post(callBody('progress', {}, { _meta: { progressToken: 9 } }));
    await post(callBody('multiline', {}, { id: 2 }));
    const heard = await stream.heard(6);
    expect(heard.slice(1, 4).map(({ params }) => params?.['progress'])).deep.equal([1, 2, 3]);
    expect(heard[4]).include({ id: 1 });
    expect(heard[5]?.result?.['content']).deep.equal([{ type: 'text', text: 'a\nb' }]);
  });

  it('cancels its calls when the stream closes', async () => {
    const { stream, post, tools } = await open();
    await post(initializeBody());
    await post(callBody('slow'));
    const [waiting] = await tools.started(1);
    stream.close();
    await until(() => waiting?.call.cancel.reason, { what: 'the call is cancelled' });
  });

  it('keeps an idle stream alive with comments', async () => {
    const { stream } = await open({ plugins: { 'transport-sse': { config: { keepAliveMs: 100 } } } });
    await until(() => stream.text().split(': keep-alive').length > 2, { what: 'keep-alive comments' });
  });

  it('is switched on and off live; its streams end', async () => {
    const { edge, stream } = await open();
    await edge.configure({ plugins: { 'transport-sse': false } });
    await within(stream.ended, { what: 'the stream ends' });
    expect((await send(`${edge.url}/sse`)).status).equal(404);
    expect((await send(`${edge.url}/message?sessionId=x`, { method: 'POST' })).status).equal(404);
    expect((await send(`${edge.url}/health`)).status).equal(200);
    await edge.configure({});
    const { stream: again, post } = await connectSse(edge.url);
    await post(initializeBody());
    expect(await again.heard(1)).length(1);
  });

  it('is the only transport of the two with transport: sse', async () => {
    const { edge, stream, post } = await open({ aggregator: { transport: 'sse' } });
    expect((await send(`${edge.url}/mcp`, { method: 'POST' })).status).equal(404);
    await post(initializeBody());
    expect(await stream.heard(1)).length(1);
  });
});
