// A client of the TypeScript SDK 2.x that takes every step once; see ts1Client.ts for its arguments and output.
import { setTimeout as pause } from 'node:timers/promises';
import { Client, LOG_LEVEL_META_KEY, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { RequestOptions } from '@modelcontextprotocol/client';
import { CAPITAL, ROOT, WAIT_MS, isOwn, takeSteps } from './walk.ts';

const [url = '', name = '', prefix = ''] = process.argv.slice(2);
const client = new Client(
  { name: 'ts2', version: '1' },
  {
    capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} },
    versionNegotiation: { mode: 'auto' },
  },
);
const logged: string[] = [];
const updated: string[] = [];
client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Ada' } }));
client.setRequestHandler('sampling/createMessage', () => ({
  role: 'assistant',
  model: 'scripted',
  content: { type: 'text', text: CAPITAL },
}));
client.setRequestHandler('roots/list', () => ({ roots: [{ uri: ROOT }] }));
client.setNotificationHandler('notifications/message', ({ params: { level, logger, data } }) => {
  if (isOwn(logger, name, prefix)) logged.push(`${level} ${JSON.stringify(data)}`);
});
client.setNotificationHandler('notifications/resources/updated', ({ params: { uri } }) => {
  updated.push(uri);
});

const isModern = (): boolean => client.getProtocolEra() === 'modern';
function call(tool: string, args: Record<string, unknown> = {}, options: RequestOptions = {}) {
  const asked = prefix === '' ? { name: tool, arguments: args } : throughPegboard(tool, args);
  // In 2026-07-28 each request says for itself which messages it wants.
  const wanted = isModern() ? { _meta: { [LOG_LEVEL_META_KEY]: 'info' } } : {};
  return client.callTool({ ...asked, ...wanted }, options);
}
function throughPegboard(tool: string, args: Record<string, unknown>) {
  return { name: 'call_tool', arguments: { name: `${prefix}${tool}`, arguments: args } };
}

await takeSteps(name, prefix, {
  connect: () => client.connect(new StreamableHTTPClientTransport(new URL(url))),
  call,
  logged,
  updated,
  // Nothing replaces it for servers of the older era.
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  setLevel: async () => (isModern() ? undefined : client.setLoggingLevel('info')),
  read: (uri) => client.readResource({ uri }),
  subscribe: (uri) =>
    isModern() ? client.listen({ resourceSubscriptions: [uri] }) : client.subscribeResource({ uri }),
  prompt: (prompt, args) => client.getPrompt({ name: prompt, arguments: args }),
  complete: (prompt, argument) => client.complete({ ref: { type: 'ref/prompt', name: prompt }, argument }),
  ping: () => (isModern() ? client.discover() : client.ping()),
  cancel: async (tool) => {
    const leaving = new AbortController();
    const calling = call(tool, {}, { signal: leaving.signal }).catch(() => undefined);
    await pause(WAIT_MS);
    leaving.abort();
    await calling;
  },
  close: () => client.close(),
});
