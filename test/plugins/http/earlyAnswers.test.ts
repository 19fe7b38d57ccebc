import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { expect } from 'chai';
import { definePlugin, STAGE, textResult } from '../../../kernel/index.ts';
import { openSideListener } from '../../../plugins/kit/http/sideListener.ts';
import { defer } from '../../support/cleanup.ts';
import { initialize, MCP_HEADERS, metaTool, startEdge } from '../../support/edge.ts';
import type { Edge } from '../../support/edge.ts';
import { captureLog } from '../../support/log.ts';
import { openSocket, send } from '../../support/rawHttp.ts';
import { within } from '../../support/until.ts';

const LARGE = 12_000_000;
type Fields = Readonly<Record<string, string>>;

const guard = definePlugin({
  name: 'test-guard',
  api: 1,
  configSchema: { type: 'object' },
  apply: (scope) =>
    scope.tap(
      'onRequest',
      (request) =>
        request.header('x-unknown') === undefined ? undefined : { status: 401, body: { error: 'unknown' } },
      STAGE.admit,
    ),
});

function headOf(line: string, headers: Fields): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${line} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

async function connected(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  defer(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** Everything that the server sends to a client that reads only after it has written all. @throws the system's error */
async function answerAfterAll(url: string, parts: readonly (string | Buffer)[]): Promise<string> {
  const socket = await connected(url);
  const failed = once(socket, 'error').then(([error]) => Promise.reject(error as Error));
  failed.catch(() => undefined);
  for (const part of parts)
    await Promise.race([failed, new Promise<void>((resolve) => socket.write(part, () => resolve()))]);
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  await Promise.race([failed, within(once(socket, 'end'), { what: 'the server ends the connection' })]);
  return text;
}

/** Sends the head, then a byte each 100 ms, and returns when the server has closed the connection. */
async function cutOff(socket: Socket, head: string): Promise<void> {
  const drip = setInterval(() => socket.write('x'), 100);
  socket.on('error', () => undefined).write(head);
  await closeOf(socket.resume());
  clearInterval(drip);
}

function closeOf(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

describe('http: an answer before the body has arrived', () => {
  let edge: Edge;
  let handle: string;
  let ran: number;
  beforeEach(async () => {
    ran = 0;
    const count = metaTool('count', () => {
      ran += 1;
      return textResult('counted');
    });
    edge = await startEdge({ plugin: guard, tools: [count] });
    handle = await initialize(edge.url);
  });
  const session = (): Fields => ({ host: 'localhost', ...MCP_HEADERS, 'mcp-session-id': handle });
  const afterAll = (headers: Fields, path = '/mcp'): Promise<string> =>
    answerAfterAll(edge.url, [
      headOf(`POST ${path}`, { ...session(), 'content-length': String(LARGE), ...headers }),
      Buffer.alloc(LARGE, 'x'),
    ]);

  const REFUSALS: readonly (readonly [number, string, Fields, string?])[] = [
    [401, 'of the gate', { 'x-unknown': '1' }],
    [403, 'to a Host', { host: 'evil.com' }],
    [403, 'to an Origin', { origin: 'http://evil.com' }],
    [404, 'to a path', {}, '/nowhere'],
    [404, 'to a session', { 'mcp-session-id': 'a'.repeat(43) }],
    [405, 'to a method', {}, '/health'],
    [406, 'to an Accept', { accept: 'text/html' }],
    [413, 'to the size', {}],
    [415, 'to a content type', { 'content-type': 'text/plain' }],
    [415, 'to an encoding', { 'content-encoding': 'gzip' }],
    [417, 'to an expectation', { expect: 'a miracle' }],
    [400, 'to two values', { authorization: 'a\r\nauthorization: b' }],
    [431, 'to a head', { filler: 'a'.repeat(100_000) }],
    [400, 'to what is not HTTP', { 'no name': '' }],
  ];
  for (const [status, what, headers, path] of REFUSALS)
    it(`${status} ${what} reaches a client that reads only after it has written all`, async () => {
      expect(await afterAll(headers, path)).match(new RegExp(`^HTTP/1.1 ${status} `));
    });

  it('reaches a client that closes its connections, sends chunks, or waits for 100 Continue', async () => {
    const unknown = { 'x-unknown': '1' };
    expect(await afterAll({ ...unknown, connection: 'close' })).match(/^HTTP\/1\.1 401 /);
    const asked = await afterAll({ ...unknown, expect: '100-continue' });
    expect(asked).match(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 401 /);
    const chunked = [
      headOf('POST /mcp', { ...session(), ...unknown, 'transfer-encoding': 'chunked' }),
      `${LARGE.toString(16)}\r\n`,
      Buffer.alloc(LARGE, 'x'),
      '\r\n0\r\n\r\n',
    ];
    expect(await answerAfterAll(edge.url, chunked)).match(/^HTTP\/1\.1 401 /);
  });

  it('reaches fetch each time', async () => {
    const body = 'x'.repeat(LARGE);
    for (let round = 0; round < 20; round += 1) {
      const headers = { ...MCP_HEADERS, 'mcp-session-id': handle, 'x-unknown': '1' };
      const answer = await fetch(`${edge.url}/mcp`, { method: 'POST', headers, body });
      expect([answer.status, await answer.text()]).deep.equal([401, '{"error":"unknown"}']);
    }
  });

  it('keeps the connection when little of the body is left', async () => {
    const { write, heard, socket } = await openSocket(edge.url);
    const head = headOf('POST /mcp', { ...session(), 'x-unknown': '1', 'content-length': '50000' });
    write(head);
    await heard(/"unknown"/);
    write('x'.repeat(50_000) + head);
    await heard(/"unknown"[\s\S]*"unknown"/);
    expect(socket.destroyed).equal(false);
  });

  it('runs nothing that the client sends after it on a connection that it closes', async () => {
    const call = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'count' } });
    const next = headOf('POST /mcp', { ...session(), 'content-length': String(call.length) }) + call;
    const refused = { ...session(), 'x-unknown': '1', 'content-length': String(LARGE) };
    const parts = [headOf('POST /mcp', refused), Buffer.alloc(LARGE, 'x'), next];
    expect(await answerAfterAll(edge.url, parts)).match(/^HTTP\/1\.1 401 /);
    expect(ran).equal(0);
    expect(await answerAfterAll(edge.url, [next.replace('accept:', 'connection: close\r\naccept:')])).include(
      '200 OK',
    );
    expect(ran).equal(1);
  });

  it('ends the connections of many senders that never finish, within 2 s each, and serves others meanwhile', async () => {
    const head = headOf('POST /mcp', { ...session(), 'x-unknown': '1', 'content-length': String(LARGE) });
    const slow = await Promise.all(Array.from({ length: 200 }, () => connected(edge.url)));
    const begun = performance.now();
    const cut = slow.map((socket) => cutOff(socket, head));
    expect((await send(`${edge.url}/health`)).status).equal(200);
    await within(Promise.all(cut), { what: 'the connections end' });
    expect(performance.now() - begun).above(1_900);
  });

  it('reads on up to a bound only', async () => {
    const socket = await connected(edge.url);
    let answer = '';
    socket.on('error', () => undefined).on('data', (chunk) => (answer += String(chunk)));
    socket.write(headOf('POST /mcp', { ...session(), 'x-unknown': '1', 'transfer-encoding': 'chunked' }));
    const chunk = Buffer.concat([
      Buffer.from('100000\r\n'),
      Buffer.alloc(1_048_576, 'x'),
      Buffer.from('\r\n'),
    ]);
    const pump = (error?: Error | null): void => {
      if (error == null) socket.write(chunk, pump);
    };
    pump();
    await within(closeOf(socket), { what: 'the connection ends' });
    expect(answer).match(/^HTTP\/1\.1 401 /);
    expect(socket.bytesWritten).below(96 * 1_048_576);
  });

  it('reaches the client of a side listener too, and closes senders that never finish', async () => {
    const listener = await openSideListener({
      host: '127.0.0.1',
      port: 0,
      handler: (_, res) => res.writeHead(404).end('no such page'),
      log: captureLog(),
      setting: 'X',
    });
    defer(() => listener.close());
    const url = `http://127.0.0.1:${listener.port}`;
    const head = headOf('POST /', { host: 'localhost', 'content-length': String(LARGE) });
    expect(await answerAfterAll(url, [head, Buffer.alloc(LARGE, 'x')])).match(/^HTTP\/1\.1 404 /);
    const slow = await connected(url);
    await within(cutOff(slow, head), { what: 'the connection ends' });
  });
});
