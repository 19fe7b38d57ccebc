import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { expect } from 'chai';
import { textResult } from '../../../kernel/lib/results.ts';
import { openSideListener } from '../../../plugins/kit/http/sideListener.ts';
import { defer } from '../../support/cleanup.ts';
import { MCP_HEADERS, callBody, initialize, metaTool, startEdge } from '../../support/edge.ts';
import { captureLog } from '../../support/log.ts';
import { send } from '../../support/rawHttp.ts';
import { until } from '../../support/until.ts';

/** More than the system buffers for a connection without a reader. */
const LARGE = 24_000_000;
/** Size of an answer of which a listener beside the public one keeps two. */
const LARGE_BESIDE = 12_000_000;

/** A gateway whose tool `heavy` answers LARGE bytes, and the number of its calls. */
async function start(http: object = {}) {
  let calls = 0;
  const text = 'x'.repeat(LARGE);
  const heavy = metaTool('heavy', () => {
    calls += 1;
    return textResult(text);
  });
  const edge = await startEdge({ tools: [heavy], plugins: { http: { config: http } } });
  return { ...edge, url: edge.url, handle: await initialize(edge.url), calls: () => calls };
}

/** A connection that sends `count` calls of `heavy` at once and reads nothing. */
function deafClient(url: string, handle: string, count: number): Socket {
  const { hostname, port } = new URL(url);
  const body = JSON.stringify(callBody('heavy'));
  const headers = {
    ...MCP_HEADERS,
    'mcp-session-id': handle,
    host: 'localhost',
    'content-length': body.length,
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return deafTo(Number(port), hostname, `POST /mcp HTTP/1.1\r\n${head.join('')}\r\n${body}`.repeat(count));
}

/** A connection that sends this at once and reads nothing. */
function deafTo(port: number, hostname: string, sent: string): Socket {
  const socket = connect(port, hostname).pause();
  socket.on('error', () => undefined);
  socket.write(sent);
  defer(() => socket.destroy());
  return socket;
}

/** A listener beside the public one that answers LARGE_BESIDE bytes, the number of its answers, and its log. */
async function startSide() {
  let answers = 0;
  const log = captureLog();
  const body = Buffer.alloc(LARGE_BESIDE, 'x');
  const handler = (_: unknown, res: ServerResponse): void => {
    answers += 1;
    res.end(body);
  };
  const listener = await openSideListener({ host: '127.0.0.1', port: 0, handler, log, setting: 'X' });
  defer(() => listener.close());
  const { port } = listener;
  const deaf = (count: number): Socket =>
    deafTo(port, '127.0.0.1', 'GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(count));
  return { deaf, log, answers: () => answers, url: `http://127.0.0.1:${port}` };
}

describe('http: clients that do not read', () => {
  it('get one answer prepared per connection, however many requests they send at once', async () => {
    const { url, handle, calls } = await start();
    const socket = deafClient(url, handle, 6);
    await until(() => calls() === 1);
    for (let round = 0; round < 20; round += 1) expect((await send(`${url}/health`)).status).equal(200);
    expect(calls()).equal(1);
    socket.resume();
    await until(() => calls() === 6, { what: 'the others are made once it reads', withinMs: 15_000 });
  });

  it('are dropped when all their answers together exceed the bound, except the newest', async () => {
    const { url, handle, calls, gateway } = await start({ maxUnreadBytes: 1.2 * LARGE });
    for (let number = 1; number <= 4; number += 1) {
      deafClient(url, handle, 1);
      await until(() => calls() === number);
      await until(() => gateway.log.having('does not read responses', 'warn').length === number - 1);
    }
    expect((await send(`${url}/health`)).status).equal(200);
  });

  it('get one answer prepared per connection by the listeners of metrics and admin pages too', async () => {
    const { deaf, answers, url } = await startSide();
    const socket = deaf(6);
    await until(() => answers() === 1);
    for (let round = 1; round <= 3; round += 1) expect((await send(url)).text).length(LARGE_BESIDE);
    expect(answers()).equal(1 + 3);
    socket.resume();
    await until(() => answers() === 6 + 3, { what: 'the others are made once it reads', withinMs: 15_000 });
  });

  it('are dropped by these listeners when three answers are unread, above their bound', async () => {
    const { deaf, answers, log } = await startSide();
    for (let number = 1; number <= 4; number += 1) {
      deaf(1);
      await until(() => answers() === number);
      await until(() => log.having('does not read responses', 'warn').length === Math.max(0, number - 2));
    }
  });
});
