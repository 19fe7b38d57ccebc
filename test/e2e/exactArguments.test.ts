import { expect } from 'chai';
import { startGateway } from '../contract/index.ts';
import type { TestGateway } from '../contract/index.ts';
import { defer } from '../support/cleanup.ts';
import { until } from '../support/until.ts';

/** A server over stdio that answers each call with the line that it received. */
const MIRROR = `
const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (method === 'initialize') answer(id, { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'm', version: '1' } });
  else if (method === 'tools/list') answer(id, { tools: [{ name: 'mirror', inputSchema: { type: 'object' } }] });
  else if (method === 'tools/call') answer(id, { content: [{ type: 'text', text: line }] });
});`;
const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-11-25',
};

describe('e2e: arguments', () => {
  let gateway: TestGateway;
  before(async () => {
    const command = [process.execPath, '-e', MIRROR];
    const definition = { name: 'm', type: 'stdio', command, autoStart: true };
    gateway = await startGateway({ files: { 'mcpservers/m.yaml': JSON.stringify(definition) } });
    defer(() => gateway.stop());
  });
  const post = (body: string, more: Record<string, string> = {}): Promise<Response> =>
    fetch(`${gateway.url()}/mcp`, { method: 'POST', headers: { ...HEADERS, ...more }, body });

  it('reach the server with the numbers that the client has written', async () => {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    };
    const opened = await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }));
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
    await opened.text();
    const sent = '{"id":12345678901234567890,"ratio":1.0,"rows":[9007199254740993],"name":"1.0"}';
    const call = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"call_tool","arguments":{"name":"x_m_mirror","arguments":${sent}}}}`;
    const told = await until(
      async () => {
        const text = await (await post(call, session)).text();
        return text.includes('not found') ? undefined : text;
      },
      { what: 'the tool' },
    );
    expect(told).contain(JSON.stringify(sent).slice(1, -1));
  });
});
