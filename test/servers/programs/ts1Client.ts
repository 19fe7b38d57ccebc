// A client of the TypeScript SDK 1.x that takes every step once. Arguments: address, the server's name, and what precedes its names
// where they are reached through Pegboard. Prints a JSON object: step → what it saw.
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import { CAPITAL, ROOT, WAIT_MS, isOwn, takeSteps } from './walk.ts';

const [url = '', name = '', prefix = ''] = process.argv.slice(2);
const client = new Client(
  { name: 'ts1', version: '1' },
  { capabilities: { elicitation: {}, sampling: {}, roots: {} } },
);
const logged: string[] = [];
const updated: string[] = [];
client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'Ada' } }));
client.setRequestHandler(CreateMessageRequestSchema, () => ({
  role: 'assistant',
  model: 'scripted',
  content: { type: 'text', text: CAPITAL },
}));
client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: ROOT }] }));
client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params: { level, logger, data } }) => {
  if (isOwn(logger, name, prefix)) logged.push(`${level} ${JSON.stringify(data)}`);
});
client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params: { uri } }) => {
  updated.push(uri);
});

async function call(tool: string, args: Record<string, unknown> = {}, options: RequestOptions = {}) {
  const asked = prefix === '' ? { name: tool, arguments: args } : throughPegboard(tool, args);
  return (await client.callTool(asked, undefined, options)) as CallToolResult;
}
function throughPegboard(tool: string, args: Record<string, unknown>) {
  return { name: 'call_tool', arguments: { name: `${prefix}${tool}`, arguments: args } };
}

await takeSteps(name, prefix, {
  connect: () => client.connect(new StreamableHTTPClientTransport(new URL(url))),
  call,
  logged,
  updated,
  setLevel: () => client.setLoggingLevel('info'),
  read: (uri) => client.readResource({ uri }),
  subscribe: (uri) => client.subscribeResource({ uri }),
  prompt: (prompt, args) => client.getPrompt({ name: prompt, arguments: args }),
  complete: (prompt, argument) => client.complete({ ref: { type: 'ref/prompt', name: prompt }, argument }),
  ping: () => client.ping(),
  cancel: async (tool) => {
    const leaving = new AbortController();
    const calling = call(tool, {}, { signal: leaving.signal }).catch(() => undefined);
    await pause(WAIT_MS);
    leaving.abort();
    await calling;
  },
  close: () => client.close(),
});
