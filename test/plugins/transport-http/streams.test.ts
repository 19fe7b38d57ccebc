import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import {
  callBody,
  callTool,
  initialize,
  MCP_HEADERS,
  metaTool,
  startEdge,
  testTools,
  toolsPlugin,
} from '../../support/edge.ts';
import type { Edge } from '../../support/edge.ts';
import { moduleOf } from '../../support/gateway.ts';
import { definePlugin, textResult } from '../../../kernel/index.ts';
import { codeOf, isRefused, openSocket, openStream, send } from '../../support/rawHttp.ts';
import type { OpenStream } from '../../support/rawHttp.ts';
import { statelessCall } from '../../support/stateless.ts';
import { until, within } from '../../support/until.ts';

const FAST_LISTS = { front: { config: { listChangedMs: 10 } } };
const LOST = 'answer not delivered';

function streamOf(edge: Edge, handle: string): Promise<OpenStream> {
  return openStream(`${edge.url}/mcp`, { headers: { 'mcp-session-id': handle } });
}

/** Changes the answer of `tools/list`. */
async function changeTools(edge: Edge): Promise<void> {
  const more = toolsPlugin('more', [metaTool('more', () => textResult('more'))]);
  edge.gateway.directory.write('more.mjs', moduleOf(more));
  await edge.configure({ plugins: { ...FAST_LISTS, more: { module: './more.mjs' } } });
}

describe('transport-http: the GET stream', () => {
  it('opens at once with a comment, and sends one at the configured interval', async () => {
    const edge = await startEdge({ plugins: { 'transport-http': { config: { keepAliveMs: 100 } } } });
    const stream = await streamOf(edge, await initialize(edge.url));
    expect(stream.status).equal(200);
    expect(stream.headers['content-type']).equal('text/event-stream');
    expect(stream.headers['cache-control']).include('no-cache').and.include('no-transform');
    await until(() => stream.text().split(': keep-alive\n\n').length > 3, { what: 'keep-alive comments' });
    expect(stream.messages()).deep.equal([]);
  });

  it('applies a new keep-alive interval without ending', async () => {
    const edge = await startEdge();
    const stream = await streamOf(edge, await initialize(edge.url));
    await edge.configure({ plugins: { 'transport-http': { config: { keepAliveMs: 100 } } } });
    await until(() => stream.text().split(': keep-alive\n\n').length > 2, { what: 'keep-alive comments' });
  });

  it('replaces an older one of the same session: a notification is sent on exactly one', async () => {
    const edge = await startEdge({ plugins: FAST_LISTS });
    const handle = await initialize(edge.url);
    const first = await streamOf(edge, handle);
    const second = await streamOf(edge, handle);
    await within(first.ended, { what: 'the first stream ends' });
    await changeTools(edge);
    expect(await second.heard(1)).length(1);
    expect(first.messages()).deep.equal([]);
  });

  it('reaches every session that has one', async () => {
    const edge = await startEdge({ plugins: FAST_LISTS });
    const handles = await Promise.all([initialize(edge.url), initialize(edge.url)]);
    const streams = await Promise.all(handles.map((handle) => streamOf(edge, handle)));
    await changeTools(edge);
    for (const stream of streams) expect(await stream.heard(1)).length(1);
  });

  it('ends with DELETE of its session, and when Pegboard stops', async () => {
    const edge = await startEdge();
    const [one, other] = [await initialize(edge.url), await initialize(edge.url)];
    const [first, second] = [await streamOf(edge, one), await streamOf(edge, other)];
    await send(`${edge.url}/mcp`, { method: 'DELETE', headers: { 'mcp-session-id': one } });
    await within(first.ended, { what: 'the stream of the ended session ends' });
    await Promise.all([edge.gateway.stop(), within(second.ended, { what: 'the stream ends with the stop' })]);
  });

  it('survives a reload of limits', async () => {
    const edge = await startEdge({ plugins: FAST_LISTS });
    const stream = await streamOf(edge, await initialize(edge.url));
    await edge.configure({ plugins: { ...FAST_LISTS, http: { config: { maxBodyBytes: 2_048 } } } });
    await changeTools(edge);
    expect(await stream.heard(1)).length(1);
  });
});

describe('transport-http: streams and their readers', () => {
  const small = { 'transport-http': { config: { maxBufferedBytes: 65_536 } } };

  it('drop a reader whose backlog exceeds the limit, and finish the call', async () => {
    const tools = testTools();
    const edge = await startEdge({ tools: tools.tools, plugins: small });
    const handle = await initialize(edge.url);
    const socket = await openSocket(edge.url);
    const body = JSON.stringify(callBody('slow', {}, { _meta: { progressToken: 1 } }));
    socket.write(
      `POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\nmcp-session-id: ${handle}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    const [waiting] = await tools.started(1);
    socket.socket.pause();
    const message = 'x'.repeat(10_000);
    // Kernel buffers hold some megabytes before any reader counts as slow; 40 MB fill them.
    for (let progress = 1; progress <= 4_000; progress += 1) {
      waiting?.call.progress?.({ progress, message });
      if (progress % 100 === 0) await turn();
    }
    waiting?.finish();
    socket.socket.resume();
    const received = await within(socket.closed, { what: 'the slow reader is dropped', withinMs: 15_000 });
    expect(received).not.include('"result"');
    expect((await callTool(edge.url, handle, callBody('echo'))).status).equal(200);
  });

  it('give a fast reader all of 5,000 progress notifications and the result', async () => {
    const values = Array.from({ length: 5_000 }, (_, at) => at);
    const edge = await startEdge();
    const handle = await initialize(edge.url);
    const body = callBody('progress', { values }, { _meta: { progressToken: 1 } });
    const answer = await callTool(edge.url, handle, body);
    expect(answer.events()).length(5_001);
    expect(answer.events().at(-1)).property('result');
  });

  it('deliver a result that is larger than the limit for a stream', async () => {
    const progressing = metaTool('big', (_, call) => {
      call.progress?.({ progress: 1 });
      return textResult('x'.repeat(1_000_000));
    });
    const edge = await startEdge({ plugins: small, tools: [progressing] });
    const handle = await initialize(edge.url);
    const answer = await callTool(edge.url, handle, callBody('big', {}, { _meta: { progressToken: 1 } }));
    expect(answer.events().at(-1)?.result?.['content']).deep.equal([
      { type: 'text', text: 'x'.repeat(1_000_000) },
    ]);
  });

  it('deliver a JSON answer of 20 MB', async () => {
    const edge = await startEdge();
    const handle = await initialize(edge.url);
    const answer = await callTool(edge.url, handle, callBody('large', { bytes: 20_000_000 }));
    expect(answer.text.length).greaterThan(20_000_000);
  });

  it('drop a reader that never reads an answer', async () => {
    const large = metaTool('large', (_, call) => {
      call.progress?.({ progress: 1 });
      return textResult('x'.repeat(20_000_000));
    });
    const config = { stalledReaderMs: 50 };
    const edge = await startEdge({ tools: [large], plugins: { 'transport-http': { config } } });
    const handle = await initialize(edge.url);
    const session = { ...MCP_HEADERS, 'mcp-session-id': handle };
    const meta = { progressToken: 1 };
    const requests = [
      { body: callBody('large'), headers: session },
      { body: callBody('large', {}, { _meta: meta }), headers: session },
      statelessCall('large'),
      statelessCall('large', {}, { meta }),
    ];
    let lost = 0;
    for (const { body, headers } of requests) {
      const text = JSON.stringify(body);
      const lines = Object.entries({ ...headers, host: 'localhost', 'content-length': text.length });
      const { write, socket } = await openSocket(edge.url);
      socket.pause();
      write(`POST /mcp HTTP/1.1\r\n${lines.map((line) => `${line.join(': ')}\r\n`).join('')}\r\n${text}`);
      await until(() => edge.gateway.log.having(LOST).length > lost, {
        what: 'it is dropped',
      });
      expect(edge.gateway.log.having(LOST)[lost++]?.data).include({ why: 'its client does not read it' });
    }
  });

  it('write a result with line breaks as one event', async () => {
    const multiline = metaTool('lines', (_, call) => {
      call.progress?.({ progress: 1 });
      return { json: '{\r\n"content":\n[\r],\n\n"a":"b\\nc"}', value: () => ({ content: [] }) };
    });
    const edge = await startEdge({ tools: [multiline] });
    const handle = await initialize(edge.url);
    const answer = await callTool(edge.url, handle, callBody('lines', {}, { _meta: { progressToken: 1 } }));
    expect(answer.events()).length(2);
    expect(answer.events()[1]?.result).deep.equal({ content: [], a: 'b\nc' });
  });

  it('survive clients that reset the connection before, inside and after the answer', async () => {
    const tools = testTools();
    const edge = await startEdge({ tools: tools.tools });
    const handle = await initialize(edge.url);
    const post = (body: string): string =>
      `POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\nmcp-session-id: ${handle}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    for (const hasBegun of [false, true]) {
      const { write, socket } = await openSocket(edge.url);
      write(post(JSON.stringify(callBody('slow', {}, { _meta: { progressToken: 1 } }))));
      const [waiting] = await tools.started(1);
      if (hasBegun) waiting?.call.progress?.({ progress: 1 });
      socket.resetAndDestroy();
      await callTool(edge.url, handle, callBody('echo'));
      for (let progress = 2; progress < 100; progress += 1) waiting?.call.progress?.({ progress });
      waiting?.finish();
    }
    const { write, socket } = await openSocket(edge.url);
    write(post(JSON.stringify(callBody('large', { bytes: 5_000_000 }))));
    socket.resetAndDestroy();
    expect((await callTool(edge.url, handle, callBody('echo'))).status).equal(200);
    expect(edge.gateway.log.records.filter(({ level }) => level === 'error')).deep.equal([]);
  });
});

describe('transport-http: graceful stop', () => {
  it('finishes the calls under way, accepts no new connection, and then ends', async () => {
    const tools = testTools();
    const edge = await startEdge({ tools: tools.tools });
    const { url } = edge;
    const handle = await initialize(url);
    const running = callTool(url, handle, callBody('slow', {}, { _meta: { progressToken: 1 } }));
    const [waiting] = await tools.started(1);
    const stopped = edge.gateway.stop();
    await until(() => isRefused(`${url}/health`), { what: 'no new connection is taken' });
    waiting?.call.progress?.({ progress: 1 });
    waiting?.finish('finished');
    expect(JSON.stringify((await running).events().at(-1))).include('finished');
    await within(stopped);
  });

  it('cuts calls that do not end within the limit', async () => {
    const tools = testTools();
    const plugins = { http: { config: { stopGraceMs: 100 } } };
    const edge = await startEdge({ tools: tools.tools, plugins });
    const handle = await initialize(edge.url);
    const running = callTool(edge.url, handle, callBody('slow')).catch(codeOf);
    await tools.started(1);
    await within(edge.gateway.stop());
    expect(await running).equal('ECONNRESET');
  });

  it('does not cut a call when another plugin is switched off and on', async () => {
    const tools = testTools();
    const bystander = definePlugin({
      name: 'bystander',
      api: 1,
      configSchema: { type: 'object' },
      apply: () => undefined,
    });
    const edge = await startEdge({ tools: tools.tools, plugin: bystander });
    const handle = await initialize(edge.url);
    const running = callTool(edge.url, handle, callBody('slow'));
    const [waiting] = await tools.started(1);
    await edge.configure({ plugins: { bystander: false, 'transport-sse': false } });
    await edge.configure({});
    waiting?.finish('finished');
    expect((await running).text).include('finished');
  });
});
