import { expect } from 'chai';
import { killAgainAndAgain } from '../soak/kills.ts';
import { soakDirectory } from '../soak/soakDirectory.ts';
import { edgeDirectory } from '../support/edgeProcess.ts';
import { initialize, initializeBody, MCP_HEADERS } from '../support/edge.ts';
import { openFiles, rssMegabytes } from '../support/proc.ts';
import { openSocket, send } from '../support/rawHttp.ts';
import { servePegboard } from '../support/serve.ts';
import { until } from '../support/until.ts';

/** `npm run soak -- --kills 200` runs more of them. */
const KILLS = 10;
const CLIENTS = 1_000;

describe('e2e: supervision', function () {
  this.timeout(60_000);

  it('kill -9 of Pegboard and its children at any moment leaves no orphan, zombie, lock or half-written file', async () => {
    const killed = await killAgainAndAgain(soakDirectory(['a', 'b']), {
      kills: KILLS,
      childrenPerLife: 3,
      random: Math.random,
    });
    expect(killed.faults).deep.equal([]);
    expect(killed.pegboards).above(1);
  });

  it('memory and file descriptors return to their former level after clients vanish', async () => {
    const { path } = await edgeDirectory();
    const { url, pid } = await servePegboard(path);
    const origin = url.replace('localhost', '127.0.0.1');
    const vanish = async (count: number): Promise<void> => {
      for (let at = 0; at < count; at += 50)
        await Promise.all(Array.from({ length: 50 }, () => vanishOnce(origin)));
    };
    // The first clients warm up code, pools and the collector's reserve.
    await vanish(400);
    const before = { files: openFiles(pid), rss: rssMegabytes(pid) };
    await vanish(CLIENTS);
    await until(() => openFiles(pid) <= before.files + 2, {
      what: 'all connections are closed',
      withinMs: 15_000,
    });
    expect(rssMegabytes(pid) - before.rss).below(40);
    expect((await send(`${origin}/health`)).status).equal(200);
  });
});

/** Opens a session, its stream and a call, and closes the sockets without a message. */
async function vanishOnce(url: string): Promise<void> {
  const handle = await initialize(url);
  const [stream, call] = await Promise.all([openSocket(url), openSocket(url)]);
  const host = new URL(url).host;
  const head = (method: string, more: string): string =>
    `${method} /mcp HTTP/1.1\r\nhost: ${host}\r\naccept: ${MCP_HEADERS.accept}\r\nmcp-session-id: ${handle}\r\n${more}\r\n`;
  stream.write(head('GET', ''));
  const body = initializeBody();
  call.write(
    head('POST', `content-type: application/json\r\ncontent-length: ${body.length + 10}\r\n`) + body,
  );
  await until(() => stream.received().includes('200'), { what: 'the stream is open' });
  stream.socket.destroy();
  call.socket.destroy();
}
