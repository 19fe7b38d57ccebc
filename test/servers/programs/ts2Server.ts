// A server of the TypeScript SDK 2.x for both eras; see offer.ts for its arguments.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import {
  McpServer,
  ResourceTemplate,
  completable,
  createMcpHandler,
  inputRequired,
  inputResponse,
} from '@modelcontextprotocol/server';
import type {
  CallToolResult,
  InputRequest,
  InputRequiredResult,
  InputResponseView,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import { NOTE, PIXEL, STARTED, STEPS, STEP_MS, TEMPLATE, WHO, text } from './offer.ts';

let { hasBye } = STARTED;
let cancelled = 0;
const servers = new Set<McpServer>();
const handler = createMcpHandler(makeServer);

function makeServer(): McpServer {
  const mcp = new McpServer(
    { name: 'ts2', version: hasBye ? '2' : '1' },
    { capabilities: { logging: {}, resources: { subscribe: true } } },
  );
  mcp.registerTool('echo', { inputSchema: z.object({ message: z.string() }) }, ({ message }) =>
    text(`Echo: ${message}`),
  );
  mcp.registerTool('image', {}, () => ({ content: [{ type: 'image', data: PIXEL, mimeType: 'image/png' }] }));
  const sum = {
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    outputSchema: z.object({ sum: z.number() }),
  };
  mcp.registerTool('structured', sum, ({ a, b }) => ({
    ...text(`${a + b}`),
    structuredContent: { sum: a + b },
  }));
  mcp.registerTool('fail', {}, () => {
    throw new Error('it failed');
  });
  mcp.registerTool('slow', {}, async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (let progress = 1; progress <= STEPS; progress += 1) {
      await pause(STEP_MS);
      if (progressToken === undefined) continue;
      const params = { progressToken, progress, total: STEPS };
      await mcpReq.notify({ method: 'notifications/progress', params });
    }
    return text('done');
  });
  mcp.registerTool('wait', {}, async ({ mcpReq }) => {
    await once(mcpReq.signal, 'abort');
    cancelled += 1;
    return text('cancelled');
  });
  mcp.registerTool('cancelled', {}, () => text(String(cancelled)));
  mcp.registerTool('log', {}, async ({ mcpReq }) => {
    // Deprecated, and in use for another year.
    // eslint-disable-next-line @typescript-eslint/no-deprecated
    await mcpReq.log('info', 'hello', 'here');
    return text('logged');
  });
  const ask = (
    tool: string,
    question: () => InputRequest,
    answer: (given: InputResponseView) => string,
  ): void =>
    void mcp.registerTool(tool, {}, ({ mcpReq }): CallToolResult | InputRequiredResult => {
      const given = inputResponse(mcpReq.inputResponses, 'asked');
      if (given.kind === 'missing') return inputRequired({ inputRequests: { asked: question() } });
      return text(answer(given));
    });
  const properties = { name: { type: 'string' as const } };
  ask(
    'elicit',
    () => inputRequired.elicit({ message: 'Who?', requestedSchema: { type: 'object', properties } }),
    (given) => (given.kind === 'elicit' ? `${given.action} ${String(given.content?.['name'])}` : given.kind),
  );
  const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Capital?' } }];
  ask(
    'sample',
    () => inputRequired.createMessage({ messages, maxTokens: 10 }),
    (given) =>
      given.kind === 'sampling' && 'text' in given.result.content ? given.result.content.text : given.kind,
  );
  ask(
    'roots',
    () => inputRequired.listRoots(),
    (given) => (given.kind === 'roots' ? given.roots.map(({ uri }) => uri).join(' ') : given.kind),
  );
  mcp.registerTool('touch', {}, async () => {
    handler.notify.resourceUpdated(NOTE);
    await Promise.all([...servers].map((one) => one.server.sendResourceUpdated({ uri: NOTE })));
    return text('touched');
  });
  mcp.registerTool('grow', {}, () => {
    hasBye = true;
    handler.notify.toolsChanged();
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
  mcp.registerPrompt('greet', { argsSchema: z.object({ who }) }, ({ who: name }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Greet ${name}` } }],
  }));
  // Of the older era; the newer one has subscriptions/listen.
  mcp.server.setRequestHandler('resources/subscribe', () => ({}));
  mcp.server.setRequestHandler('resources/unsubscribe', () => ({}));
  return mcp;
}

function addBye(mcp: McpServer): void {
  mcp.registerTool('bye', {}, () => text('Bye'));
}

/** What `toNodeHandler` of another package does. */
async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const leaving = new AbortController();
  res.once('close', () => leaving.abort());
  const body: Buffer[] = [];
  for await (const chunk of req) body.push(chunk as Buffer);
  const headers = Object.entries(req.headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  const { method = 'GET', url = '/' } = req;
  const hasBody = method === 'POST' && { body: Buffer.concat(body) };
  const asked = new Request(`http://127.0.0.1${url}`, {
    method,
    headers,
    signal: leaving.signal,
    ...hasBody,
  });
  const answer = await handler.fetch(asked);
  res.writeHead(answer.status, Object.fromEntries(answer.headers));
  res.flushHeaders();
  for await (const chunk of answer.body ?? []) res.write(chunk);
  res.end();
}

if (STARTED.transport === 'stdio')
  serveStdio(() => {
    const mcp = makeServer();
    servers.add(mcp);
    return mcp;
  });
else
  createServer((req, res) => {
    serve(req, res).catch((error: unknown) => res.destroy(error as Error));
  }).listen(Number(STARTED.transport), '127.0.0.1');
