/** A streamable HTTP server that answers JSON. Prints its URL; ends with its standard input. */
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerTo } from './echo.ts';
import { endWithParent } from './parent.ts';

const SESSION = 'bench-upstream-session';

const server = createServer((request, response) => {
  if (request.method !== 'POST') {
    response.writeHead(request.method === 'DELETE' ? 200 : 405, { 'Content-Length': 0 }).end();
    return;
  }
  let body: Buffer | undefined;
  request.on('data', (chunk: Buffer) => (body = body === undefined ? chunk : Buffer.concat([body, chunk])));
  request.on('end', () => reply(response, answerTo((body ?? '').toString())));
});

function reply(response: ServerResponse, answer: string | undefined): void {
  if (answer === undefined) {
    response.writeHead(202, { 'Content-Length': 0 }).end();
    return;
  }
  const length = Buffer.byteLength(answer);
  response.writeHead(200, {
    'Content-Type': 'application/json',
    'Content-Length': length,
    'Mcp-Session-Id': SESSION,
  });
  response.end(answer);
}

server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp\n`);
});
endWithParent();
