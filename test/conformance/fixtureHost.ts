import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { listenLocally } from './listen.ts';
import type { Listening } from './listen.ts';

export interface FixtureHost extends Listening {
  /** Ends every session, as a restart of the server does. */
  forget(): Promise<void>;
}

/** One server per session over streamable HTTP, as SDK servers are usually run. */
export async function hostOverHttp(makeServer: () => McpServer): Promise<FixtureHost> {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  const begin = async (): Promise<StreamableHTTPServerTransport> => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void transports.set(id, transport),
      onsessionclosed: (id) => void transports.delete(id),
    });
    await makeServer().connect(transport);
    return transport;
  };
  const handle = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const id = req.headers['mcp-session-id'];
    const known = typeof id === 'string' ? transports.get(id) : undefined;
    if (known === undefined && id !== undefined) res.writeHead(404).end();
    else await (known ?? (await begin())).handleRequest(req, res);
  };
  const server = createServer((req, res) => {
    handle(req, res).catch((error: unknown) => res.destroy(error as Error));
  });
  const listening = await listenLocally(server);
  const forget = async (): Promise<void> => {
    const open = [...transports.values()];
    transports.clear();
    await Promise.all(open.map((transport) => transport.close()));
  };
  const close = async (): Promise<void> => {
    await forget();
    await listening.close();
  };
  return { url: `${listening.url}/mcp`, close, forget };
}
