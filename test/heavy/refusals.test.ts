import { expect } from 'chai';
import { initialize, startEdge } from '../support/edge.ts';
import { openSocket } from '../support/rawHttp.ts';
import type { RawSocket } from '../support/rawHttp.ts';
import { heapUsed } from '../support/heap.ts';
import { until } from '../support/until.ts';

const PIPELINED = 100;

describe('transport-http: refusals', () => {
  it('leave nothing behind: 10,000 of them keep the heap about flat', async function () {
    this.timeout(60_000);
    const { url } = await startEdge();
    const handle = await initialize(url);
    const stream = 'accept: text/event-stream\r\n';
    const refused = [
      `GET /mcp HTTP/1.1\r\nhost: localhost\r\n${stream}mcp-session-id: garbage\r\n\r\n`,
      `GET /mcp HTTP/1.1\r\nhost: localhost\r\n${stream}mcp-session-id: ${handle.slice(0, -2)}\r\n\r\n`,
      `GET /mcp HTTP/1.1\r\nhost: localhost\r\n${stream}\r\n`,
      `DELETE /mcp HTTP/1.1\r\nhost: evil.com\r\n\r\n`,
      `POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n{}`,
    ];
    const send = async (requests: number): Promise<void> => {
      const socket = await openSocket(url);
      for (let sent = 0; sent < requests; sent += PIPELINED) await refuse(socket, refused, sent + PIPELINED);
      socket.socket.destroy();
    };
    await send(1_000);
    const before = heapUsed();
    for (let round = 0; round < 10; round += 1) await send(1_000);
    const after = heapUsed();
    // This test's own sockets retain received data, 0.4 MB each.
    expect(after - before).lessThan(8_000_000);
  });
});

async function refuse({ write, received }: RawSocket, refused: readonly string[], total: number) {
  write(Array.from({ length: PIPELINED }, (_, at) => refused[at % refused.length]).join(''));
  const answers = (): number => received().split('HTTP/1.1 4').length - 1;
  await until(() => answers() >= total, { what: `${total} refusals` });
  expect(received()).not.match(/HTTP\/1\.1 [235]/);
}
