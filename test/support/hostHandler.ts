import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { listenLocally } from '../conformance/listen.ts';
import type { Listening } from '../conformance/listen.ts';

interface WebHandler {
  readonly fetch: (request: Request) => Promise<Response>;
}

/** Serves a handler of web requests, such as that of the SDK for revision 2026-07-28, at `/mcp`. */
export async function hostHandler(handler: WebHandler): Promise<Listening> {
  const server = createServer((req, res) => {
    answer(handler, req, res).catch((error: unknown) => res.destroy(error as Error));
  });
  const listening = await listenLocally(server);
  return { url: `${listening.url}/mcp`, close: () => listening.close() };
}

async function answer(handler: WebHandler, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const left = new AbortController();
  res.once('close', () => left.abort());
  const body = Buffer.concat((await req.toArray()) as Buffer[]);
  const request = new Request(`http://localhost${req.url ?? ''}`, {
    method: req.method ?? 'GET',
    headers: req.headers as Record<string, string>,
    ...(body.length > 0 && { body }),
    signal: left.signal,
  });
  const response = await handler.fetch(request);
  res.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) res.end();
  else await pipeline(Readable.fromWeb(response.body), res);
}
