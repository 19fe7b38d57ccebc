/* eslint-disable @typescript-eslint/no-deprecated -- HTTP+SSE itself is deprecated */
import { createServer } from 'node:http';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { listenLocally } from '../conformance/listen.ts';
import { defer } from './cleanup.ts';

/** A server of HTTP+SSE of the SDK, which announces `/message`, until the end of the test.
 *  @param addsSlash whether it redirects each path to the one with a slash at its end, as Starlette does @returns its url */
export async function hostOverSse(makeServer: () => McpServer, addsSlash = false): Promise<string> {
  const open = new Map<string, SSEServerTransport>();
  const server = createServer((req, res) => {
    const { pathname, search, searchParams } = new URL(req.url ?? '', 'http://localhost');
    if (addsSlash && !pathname.endsWith('/')) {
      res.writeHead(307, { location: `${pathname}/${search}` }).end();
      return;
    }
    const known = open.get(searchParams.get('sessionId') ?? '');
    if (known !== undefined && pathname.startsWith('/message')) void known.handlePostMessage(req, res);
    else if (req.method !== 'GET') res.writeHead(405).end();
    else {
      const transport = new SSEServerTransport('/message', res);
      open.set(transport.sessionId, transport);
      void makeServer().connect(transport);
    }
  });
  const listening = await listenLocally(server);
  defer(async () => {
    await Promise.all([...open.values()].map((transport) => transport.close()));
    await listening.close();
  });
  return `${listening.url}/sse`;
}
