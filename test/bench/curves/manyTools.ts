/** A server in this process with as many tools as its path says: `/1000/mcp`; each answers as those of echo.ts do. */
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { answerTo } from '../echo.ts';

const VERBS = ['create', 'read', 'update', 'delete', 'list', 'find', 'copy', 'move', 'start', 'stop'];
const THINGS = ['branch', 'invoice', 'pod', 'ticket', 'user', 'page', 'order', 'image', 'event', 'rule'];

/** Measures with such a server, which ends after it. @param measure receives its url for a number of tools */
export async function* inFrontOfTools<T>(
  measure: (urlOf: (tools: number) => string) => AsyncIterable<T>,
): AsyncIterable<T> {
  const server = createServer((request, response) => void reply(request, response));
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    yield* measure((tools) => `http://127.0.0.1:${port}/${tools}/mcp`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const isPost = request.method === 'POST';
  const answer = isPost ? answerOf(await text(request), Number(request.url?.split('/')[1])) : undefined;
  if (answer === undefined) return void response.writeHead(isPost ? 202 : 405, { 'content-length': 0 }).end();
  response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'curves' }).end(answer);
}

function answerOf(body: string, count: number): string | undefined {
  if (!body.includes('"tools/list"')) return answerTo(body);
  const { id } = JSON.parse(body) as { readonly id: number };
  return JSON.stringify({ jsonrpc: '2.0', id, result: { tools: Array.from({ length: count }, toolAt) } });
}

function toolAt(_: unknown, at: number): object {
  const verb = VERBS[at % VERBS.length];
  const thing = THINGS[Math.floor(at / VERBS.length) % THINGS.length];
  const inputSchema = {
    type: 'object',
    properties: { text: { type: 'string', description: `The ${thing}` } },
  };
  return { name: `${verb}_${thing}_${at}`, description: `${verb} the ${thing} number ${at}`, inputSchema };
}
