import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { defer } from '../support/cleanup.ts';
import { edgeDirectory } from '../support/edgeProcess.ts';
import { packedProgram } from '../support/packed.ts';
import { openSocket, send } from '../support/rawHttp.ts';
import { until } from '../support/until.ts';

describe('e2e: file handles', () => {
  it('running out of them costs connections, not the process', async () => {
    const directory = await edgeDirectory();
    // The start opens the modules of all built-in plugins at once: 57 handles.
    const serve = `ulimit -n 80; exec "${process.execPath}" "${packedProgram()}" serve --config-path "${directory.path}" --port 0 --log-format json`;
    const child = spawn('sh', ['-c', serve], { stdio: ['ignore', 'ignore', 'pipe'] });
    defer(() => {
      child.kill('SIGKILL');
      return child.exitCode === null ? once(child, 'exit') : undefined;
    });
    const lines: string[] = [];
    createInterface(child.stderr).on('line', (line) => lines.push(line));
    const ready = await until(() => lines.find((line) => line.includes('"text":"ready"')), { what: 'ready' });
    const { origin } = new URL((JSON.parse(ready) as { url: string }).url);
    const url = origin.replace('localhost', '127.0.0.1');
    // koa serves it, and must not have to open its files later. It is loaded after the gateway is ready.
    expect(await send(`${url}/nothing`)).include({ status: 404 });
    const sockets = await Promise.all(Array.from({ length: 100 }, () => openSocket(url)));
    await until(() => sockets.some(({ socket }) => socket.destroyed), { what: 'no file handle is left' });
    for (const { write } of sockets) write('GET /nothing HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await until(() => sockets.some(({ received }) => received().includes('REQUEST_NOT_FOUND')), {
      what: 'a wrong path is answered',
    });
    for (const { write } of sockets) write('GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await until(() => sockets.filter(({ received }) => received().includes('"ok"')).length > 10, {
      what: 'some are served',
    });
    for (const { socket } of sockets) socket.destroy();
    const isServed = (): Promise<boolean> =>
      send(`${url}/health`).then(
        ({ status }) => status === 200,
        () => false,
      );
    await until(isServed, { what: 'it serves again', withinMs: 15_000 });
    expect(child.exitCode).equal(null);
  });
});
