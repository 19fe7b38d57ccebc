import { expect } from 'chai';
import { gzipSync } from 'node:zlib';
import { callBody, callTool, initialize, MCP_HEADERS, postMcp, startEdge } from '../../support/edge.ts';
import type { Edge } from '../../support/edge.ts';
import { open, openSocket } from '../../support/rawHttp.ts';
import { until, within } from '../../support/until.ts';

const POST_HEAD = [
  'POST /mcp HTTP/1.1',
  'host: localhost',
  'content-type: application/json',
  'accept: application/json, text/event-stream',
].join('\r\n');

describe('http: limits', () => {
  let edge: Edge;
  let handle: string;
  const httpConfig = (config: object) => startEdge({ plugins: { http: { config } } });

  describe('of the body', () => {
    beforeEach(async () => {
      edge = await startEdge();
      handle = await initialize(edge.url);
    });

    it('accepts 200 KB and 4 MB without a setting', async () => {
      for (const bytes of [200_000, 4_000_000]) {
        const answer = await callTool(edge.url, handle, callBody('echo', { text: 'x'.repeat(bytes) }));
        expect(answer.status).equal(200);
        expect(answer.text.length).greaterThan(bytes);
      }
    });

    it('answers 413 in JSON-RPC to a declared length over the limit, before the body has arrived', async () => {
      const { write, closed } = await openSocket(edge.url);
      write(`${POST_HEAD}\r\nmcp-session-id: ${handle}\r\ncontent-length: 5000000\r\n\r\n{`);
      const answer = await within(closed, { what: 'the connection ends' });
      expect(answer).match(/^HTTP\/1\.1 413 /);
      expect(answer).include('"jsonrpc":"2.0"').and.include('maxBodyBytes').and.include('4194304');
    });

    it('stops an endless chunked body at the limit', async () => {
      let status = 0;
      const req = open(
        `${edge.url}/mcp`,
        { method: 'POST', headers: { ...MCP_HEADERS, 'mcp-session-id': handle } },
        (res) => {
          status = res.statusCode ?? 0;
          res.resume();
        },
      );
      req.on('error', () => undefined);
      let sent = 0;
      const closed = new Promise<void>((resolve) => req.once('close', () => resolve()));
      const chunk = Buffer.alloc(65_536, 'x');
      const pump = (): void => {
        if (req.destroyed || sent > 100_000_000) return;
        sent += chunk.length;
        req.write(chunk, pump);
      };
      pump();
      await within(closed, { what: 'the connection ends' });
      expect(status).equal(413);
      expect(sent).lessThan(20_000_000);
    });

    it('refuses a body that is not UTF-8', async () => {
      const body = Buffer.concat([
        Buffer.from('{"jsonrpc":"2.0","id":1,"method":"'),
        Buffer.from([0xc3, 0x28]),
      ]);
      const answer = await postMcp(edge.url, Buffer.concat([body, Buffer.from('"}')]), {
        'mcp-session-id': handle,
      });
      expect(answer.status).equal(400);
      expect(answer.json().error?.message).include('UTF-8');
    });

    it('reads characters that are split between chunks of the body', async () => {
      const text = JSON.stringify(callBody('echo', { text: '€😀' }));
      const bytes = Buffer.from(text);
      const { write, heard } = await openSocket(edge.url);
      write(`${POST_HEAD}\r\nmcp-session-id: ${handle}\r\ntransfer-encoding: chunked\r\n\r\n`);
      for (const byte of bytes)
        write(Buffer.concat([Buffer.from('1\r\n'), Buffer.of(byte), Buffer.from('\r\n')]));
      write('0\r\n\r\n');
      expect(await heard(/\}$/)).include('€😀');
    });

    it('refuses a compressed body with 415, small or a bomb', async () => {
      for (const size of [10, 50_000_000]) {
        const headers = { 'mcp-session-id': handle, 'content-encoding': 'gzip' };
        const answer = await postMcp(edge.url, gzipSync(Buffer.alloc(size)), headers);
        expect(answer.status).equal(415);
        expect(answer.json().error?.message).include('uncompressed');
      }
    });

    it('refuses a body with a foreign charset with 415', async () => {
      const headers = { 'content-type': 'application/json; charset=utf-16' };
      expect((await postMcp(edge.url, '{}', headers)).status).equal(415);
    });

    it('continues with the next request after each refusal', async () => {
      await postMcp(edge.url, Buffer.alloc(5_000_000, 'x')).catch(() => undefined);
      expect((await callTool(edge.url, handle, callBody('echo'))).status).equal(200);
    });

    it('drops a request whose client disconnects inside the body', async () => {
      const { write, socket } = await openSocket(edge.url);
      write(`${POST_HEAD}\r\nmcp-session-id: ${handle}\r\ncontent-length: 1000\r\n\r\n{`);
      socket.resetAndDestroy();
      expect((await callTool(edge.url, handle, callBody('echo'))).status).equal(200);
      expect(edge.gateway.log.records.filter(({ level }) => level === 'error')).deep.equal([]);
    });

    it('applies a new limit without closing a connection', async () => {
      const { write, heard, socket } = await openSocket(edge.url);
      const request = (body: string): string =>
        `${POST_HEAD}\r\nmcp-session-id: ${handle}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
      const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
      write(request(ping));
      await heard(/"result":\{\}\}$/);
      await edge.configure({ plugins: { http: { config: { maxBodyBytes: 1_024 } } } });
      write(request(ping + ' '.repeat(2_000)));
      await heard(/413 /);
      write(request(ping));
      await heard(/413 [\s\S]*"result":\{\}\}$/);
      expect(socket.destroyed).equal(false);
    });
  });

  describe('of the head', () => {
    it('answers 431 in JSON to a head over the limit, and names the setting', async () => {
      edge = await startEdge();
      for (const header of [`x: ${'a'.repeat(65_536)}`, 'x-filler: 12345678\r\n'.repeat(1_500).trimEnd()]) {
        const { write, closed } = await openSocket(edge.url);
        write(`GET /health HTTP/1.1\r\nhost: localhost\r\n${header}\r\n\r\n`);
        const answer = await closed;
        expect(answer).match(/^HTTP\/1\.1 431 /);
        const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as { error: object };
        expect(JSON.stringify(body)).include('maxHeaderBytes');
      }
      expect((await postMcp(edge.url, '{}')).status).equal(400);
    });

    it('refuses a session id with control characters or of 10 KB', async () => {
      edge = await startEdge();
      const { write, closed } = await openSocket(edge.url);
      write(`${POST_HEAD}\r\nmcp-session-id: a\rb\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}`);
      expect(await closed).match(/^HTTP\/1\.1 400 /);
      const long = await postMcp(edge.url, '{}', { 'mcp-session-id': 'a'.repeat(10_000) });
      expect(long.status).equal(404);
    });
  });

  describe('of time', () => {
    const fast = { headersTimeoutMs: 300, requestTimeoutMs: 600 };

    it('answers 408 to a head that does not arrive in time, and closes the connection', async () => {
      edge = await httpConfig(fast);
      const { write, closed, socket } = await openSocket(edge.url);
      write('POST /mcp HTTP/1.1\r\nhost: loc');
      const drip = setInterval(() => write('a'), 50);
      const answer = await within(closed, { what: 'the slow head ends' }).finally(() => clearInterval(drip));
      expect(answer)
        .match(/^HTTP\/1\.1 408 /)
        .and.include('requestTimeoutMs');
      expect(socket.destroyed).equal(true);
    });

    it('answers 408 to a body that does not arrive in time, and closes the connection', async () => {
      edge = await httpConfig(fast);
      handle = await initialize(edge.url);
      const { write, closed } = await openSocket(edge.url);
      write(`${POST_HEAD}\r\nmcp-session-id: ${handle}\r\ncontent-length: 1000\r\n\r\n`);
      const drip = setInterval(() => write('{'), 50);
      const answer = await within(closed, { what: 'the slow body ends' }).finally(() => clearInterval(drip));
      expect(answer).match(/^HTTP\/1\.1 408 /);
    });

    it('does not keep the socket of a slow client that never closes its side', async () => {
      edge = await httpConfig(fast);
      const { write, socket } = await openSocket(edge.url);
      socket.allowHalfOpen = true;
      socket.removeAllListeners('end');
      write('POST /mcp HTTP/1.1\r\nhost: loc');
      const connections = (): Promise<number> => connectionsOf(edge);
      await until(async () => (await connections()) === 1, { what: 'the connection is there' });
      await until(async () => (await connections()) === 0, { what: 'the connection is gone' });
    });

    it('serves others while slow clients hold connections', async () => {
      edge = await httpConfig({});
      handle = await initialize(edge.url);
      const slow = await Promise.all(Array.from({ length: 300 }, () => openSocket(edge.url)));
      for (const { write } of slow) write('POST /mcp HTTP/1.1\r\nhost: loc');
      const answer = await callTool(edge.url, handle, callBody('echo', { a: 1 }));
      expect(answer.status).equal(200);
    });

    it('closes connections beyond the limit and keeps serving those below', async () => {
      edge = await httpConfig({ maxConnections: 2 });
      const first = await openSocket(edge.url);
      const second = await openSocket(edge.url);
      for (const { write, heard } of [first, second]) {
        write('GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n');
        await heard(/"ok"/);
      }
      const third = await openSocket(edge.url);
      expect(await within(third.closed)).equal('');
      first.write('GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n');
      await first.heard(/"ok"[\s\S]*"ok"/);
    });
  });
});

/** Connections to this process's listeners, as node counts its handles. */
function connectionsOf(edge: Edge): Promise<number> {
  const port = Number(new URL(edge.url).port);
  const handles = (
    process as unknown as { _getActiveHandles(): { localPort?: number }[] }
  )._getActiveHandles();
  return Promise.resolve(handles.filter(({ localPort }) => localPort === port).length);
}
