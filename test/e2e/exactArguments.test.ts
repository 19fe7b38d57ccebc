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
  else if (method === 'tools/call') answer(id, { content: [{ type: 'text', text: 'got ' + line }] });
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
    const passed = { id: '{{ .input.id }}', rows: ['{{ .input.rows }}'], text: 'of {{ .input.name }}' };
    const steps = [{ id: 'a', tool: 'x_m_mirror', args: { passed }, store: true }];
    const files = {
      'mcpservers/m.yaml': JSON.stringify(definition),
      'workflows/w.yaml': JSON.stringify({ steps }),
    };
    gateway = await startGateway({ files });
    defer(() => gateway.stop());
  });
  const post = (body: string, more: Record<string, string> = {}): Promise<Response> =>
    fetch(`${gateway.url()}/mcp`, { method: 'POST', headers: { ...HEADERS, ...more }, body });

  /** The answer to a call of a tool with arguments as they are written. */
  const told = async (name: string, sent: string): Promise<string> => {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    };
    const opened = await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }));
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
    await opened.text();
    const call = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"call_tool","arguments":{"name":"${name}","arguments":${sent}}}}`;
    return until(
      async () => {
        const text = await (await post(call, session)).text();
        return /not found|not available/.test(text) ? undefined : text;
      },
      { what: 'the tool' },
    );
  };

  it('reach the server with the numbers that the client has written', async () => {
    const sent = '{"id":12345678901234567890,"ratio":1.0,"rows":[9007199254740993],"name":"1.0"}';
    for (const one of [sent, JSON.stringify(sent)])
      expect(await told('x_m_mirror', one)).contain(JSON.stringify(sent).slice(1, -1));
  });

  it('reach it so through a workflow that passes them on untouched', async () => {
    const sent = '{"id":12345678901234567890,"rows":[1.0,{"n":9007199254740993}],"name":"ada"}';
    const arrived =
      '{"passed":{"id":12345678901234567890,"rows":[[1.0,{"n":9007199254740993}]],"text":"of ada"}}';
    expect((await told('workflow_w', sent)).replaceAll('\\', '')).contain(arrived);
  });
});
