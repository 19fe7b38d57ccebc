// A server of the TypeScript SDK 1.x, written as its examples are; see offer.ts for its arguments.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { SubscribeRequestSchema, UnsubscribeRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { NOTE, PIXEL, STARTED, STEPS, STEP_MS, TEMPLATE, WHO, text } from './offer.ts';

const servers = new Set<McpServer>();
let { hasBye } = STARTED;
let cancelled = 0;

function makeServer(): McpServer {
  const mcp = new McpServer(
    { name: 'ts1', version: hasBye ? '2' : '1' },
    { capabilities: { logging: {}, resources: { subscribe: true } } },
  );
  const { server } = mcp;
  mcp.registerTool('echo', { inputSchema: { message: z.string() } }, ({ message }) =>
    text(`Echo: ${message}`),
  );
  mcp.registerTool('image', {}, () => ({ content: [{ type: 'image', data: PIXEL, mimeType: 'image/png' }] }));
  const numbers = { a: z.number(), b: z.number() };
  const sum = { inputSchema: numbers, outputSchema: { sum: z.number() } };
  mcp.registerTool('structured', sum, ({ a, b }) => ({
    ...text(`${a + b}`),
    structuredContent: { sum: a + b },
  }));
  mcp.registerTool('fail', {}, () => {
    throw new Error('it failed');
  });
  mcp.registerTool('slow', {}, async ({ _meta, sendNotification }) => {
    const progressToken = _meta?.progressToken;
    for (let progress = 1; progress <= STEPS; progress += 1) {
      await pause(STEP_MS);
      if (progressToken === undefined) continue;
      const params = { progressToken, progress, total: STEPS };
      await sendNotification({ method: 'notifications/progress', params });
    }
    return text('done');
  });
  mcp.registerTool('wait', {}, async ({ signal }) => {
    await once(signal, 'abort');
    cancelled += 1;
    return text('cancelled');
  });
  mcp.registerTool('cancelled', {}, () => text(String(cancelled)));
  mcp.registerTool('log', {}, async ({ sessionId }) => {
    await mcp.sendLoggingMessage({ level: 'info', logger: 'here', data: 'hello' }, sessionId);
    return text('logged');
  });
  mcp.registerTool('elicit', {}, async ({ requestId }) => {
    const properties = { name: { type: 'string' as const } };
    const question = { message: 'Who?', requestedSchema: { type: 'object' as const, properties } };
    const { action, content } = await server.elicitInput(question, { relatedRequestId: requestId });
    return text(`${action} ${String(content?.['name'])}`);
  });
  mcp.registerTool('sample', {}, async ({ requestId }) => {
    const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Capital?' } }];
    const { content } = await server.createMessage(
      { messages, maxTokens: 10 },
      { relatedRequestId: requestId },
    );
    return text(content.type === 'text' ? content.text : content.type);
  });
  mcp.registerTool('roots', {}, async ({ requestId }) => {
    const { roots } = await server.listRoots({}, { relatedRequestId: requestId });
    return text(roots.map(({ uri }) => uri).join(' '));
  });
  mcp.registerTool('touch', {}, async () => {
    await Promise.all([...servers].map((one) => one.server.sendResourceUpdated({ uri: NOTE })));
    return text('touched');
  });
  mcp.registerTool('grow', {}, () => {
    hasBye = true;
    for (const one of servers) addBye(one);
    return text('grown');
  });
  if (hasBye) addBye(mcp);
  mcp.registerResource('one', NOTE, {}, ({ href }) => ({ contents: [{ uri: href, text: 'the note' }] }));
  mcp.registerResource(
    'item',
    new ResourceTemplate(TEMPLATE, { list: undefined }),
    {},
    ({ href }, { id }) => ({
      contents: [{ uri: href, text: `item ${String(id)}` }],
    }),
  );
  const who = completable(z.string(), (begun) => WHO.filter((one) => one.startsWith(begun)));
  mcp.registerPrompt('greet', { argsSchema: { who } }, ({ who: name }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Greet ${name}` } }],
  }));
  server.setRequestHandler(SubscribeRequestSchema, () => ({}));
  server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
  servers.add(mcp);
  server.onclose = () => servers.delete(mcp);
  return mcp;
}

function addBye(mcp: McpServer): void {
  mcp.registerTool('bye', {}, () => text('Bye'));
}

const transports = new Map<string, StreamableHTTPServerTransport>();

/** As in the example with sessions: another request than `initialize` without a valid session is answered 400. */
async function serveSession(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const id = req.headers['mcp-session-id'];
  const known = typeof id === 'string' ? transports.get(id) : undefined;
  if (known !== undefined) return known.handleRequest(req, res);
  if (id !== undefined || req.method !== 'POST') {
    refuse(res, 400, 'Bad Request: No valid session ID provided');
    return;
  }
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (begun) => void transports.set(begun, transport),
    onsessionclosed: (ended) => void transports.delete(ended),
  });
  await makeServer().connect(transport);
  return transport.handleRequest(req, res);
}

/** As in the stateless example: a server for each POST, and nothing else. */
async function serveOnce(req: IncomingMessage, res: ServerResponse): Promise<void> {
  if (req.method !== 'POST') {
    refuse(res, 405, 'Method not allowed.');
    return;
  }
  const transport = new StreamableHTTPServerTransport();
  const mcp = makeServer();
  res.once('close', () => void mcp.close());
  await mcp.connect(transport);
  return transport.handleRequest(req, res);
}

function refuse(res: ServerResponse, status: number, message: string): void {
  res.writeHead(status, { 'content-type': 'application/json' });
  res.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }));
}

if (STARTED.transport === 'stdio') await makeServer().connect(new StdioServerTransport());
else
  createServer((req, res) => {
    // What a program without the route answers.
    if (STARTED.mode === 'post-only' && req.method === 'GET')
      return void res.writeHead(404).end('Cannot GET /mcp');
    const served = STARTED.mode === 'stateless' ? serveOnce(req, res) : serveSession(req, res);
    served.catch((error: unknown) => res.destroy(error as Error));
  }).listen(Number(STARTED.transport), '127.0.0.1');
