import { expect } from 'chai';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { EVERYTHING } from '../support/everything.ts';
import { McpClient } from '../support/mcpClient.ts';
import { needRedis, startRedis } from '../support/redis.ts';
import { sharedProcesses } from '../support/sharedProcesses.ts';
import type { SharedProcesses } from '../support/sharedProcesses.ts';
import { until } from '../support/until.ts';

const BOTH = 'application/json, text/event-stream';

interface OldTransport {
  readonly SSEClientTransport: new (
    url: URL,
    options: { readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response> },
  ) => Transport;
}
const EVERYTHING_SERVER = {
  type: 'stdio',
  command: [process.execPath, EVERYTHING, 'stdio'],
  autoStart: true,
  questions: ['elicitation'],
};

describe('e2e: sessions of several processes over one Redis', function () {
  this.timeout(60_000);
  let processes: SharedProcesses;
  let urls: readonly string[] = [];
  before(async function () {
    needRedis(this);
    processes = sharedProcesses(await startRedis(), ['everything', EVERYTHING_SERVER]);
    urls = (await Promise.all(['a', 'b'].map((name) => processes.start(name)))).map(({ url }) => url);
  });
  const isAlive = (client: McpClient): Promise<boolean> =>
    client.request('ping').then(
      () => true,
      () => false,
    );
  const pair = async (capabilities = {}): Promise<readonly [McpClient, McpClient]> => {
    const [a = '', b = ''] = urls;
    const client = await McpClient.connect(a, { capabilities });
    return [client, client.movedTo(b)];
  };

  // First, because a server whose sessions are used by one client can tell whom it asks.
  it('answer a question of one process at another', async () => {
    const [atA, atB] = await pair({ elicitation: { form: {} } });
    const response = await fetch(`${atA.url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': atA.sessionId ?? '',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 9,
        method: 'tools/call',
        params: {
          name: 'call_tool',
          arguments: { name: 'x_everything_trigger-elicitation-request', arguments: {} },
        },
      }),
    });
    let text = '';
    let hasAnswered = false;
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk as Uint8Array).toString();
      const asked = /"id":"([^"]+)","method":"elicitation\/create"/.exec(text);
      if (asked === null || hasAnswered) continue;
      hasAnswered = true;
      const answered = await atB.post({ jsonrpc: '2.0', id: asked[1], result: { action: 'decline' } });
      expect(answered.status).equal(202);
    }
    expect(text, text).contain('declined');
  });

  it('continue at each process, and end at all of them, with their streams', async () => {
    const [atA, atB] = await pair();
    expect(await isAlive(atB)).equal(true);
    const stream = await atA.listen();
    expect(await atB.end()).equal(204);
    await until(async () => !(await isAlive(atA)), { what: 'the end at the other process' });
    await stream.text();
  });

  it('that ended while a process was away are ended there too', async () => {
    const first = await processes.start('one');
    const [atA] = await pair();
    expect(await isAlive(atA.movedTo(first.url))).equal(true);
    await first.stop();
    expect(await atA.end()).equal(204);
    const second = await processes.start('one');
    await until(async () => !(await isAlive(atA.movedTo(second.url))), { what: 'the end' });
  });

  it('cancel a request at the process that runs it', async () => {
    const [atA, atB] = await pair();
    const name = 'x_everything_trigger-long-running-operation';
    let failed = '';
    const call = atA.callTool(name, { duration: 30, steps: 3 }).catch((error: unknown) => {
      failed = String(error);
    });
    await until(
      async () => {
        await atB.notify('notifications/cancelled', { requestId: 1, reason: 'typed Ctrl-C' });
        return failed !== '';
      },
      { what: 'the cancellation' },
    );
    await call;
    expect(failed).contain('typed Ctrl-C');
  });

  it('receive updates on a stream that another process holds', async () => {
    const [atA, atB] = await pair();
    const name = 'x_everything_toggle-subscriber-updates';
    const uri = 'demo://resource/dynamic/text/1';
    const stream = await atB.listen();
    await atA.request('resources/subscribe', { uri });
    await atA.callTool(name);
    let text = '';
    for await (const chunk of stream.body ?? []) {
      text += Buffer.from(chunk as Uint8Array).toString();
      if (text.includes('notifications/resources/updated')) break;
    }
    expect(text).contain(uri);
    await atA.end();
  });

  it('of the older transport take messages at each process', async () => {
    const { SSEClientTransport } = (await import('@modelcontextprotocol/sdk/client/sse.js')) as OldTransport;
    const [a = '', b = ''] = urls;
    let posts = 0;
    // A balancer that is not sticky.
    const balanced = (url: string | URL, init?: RequestInit): Promise<Response> =>
      fetch(init?.method === 'POST' && (posts += 1) % 2 === 0 ? String(url).replace(a, b) : url, init);
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new SSEClientTransport(new URL(`${a}/sse`), { fetch: balanced }));
    const call = (message: string): Promise<unknown> =>
      client.callTool({
        name: 'call_tool',
        arguments: { name: 'x_everything_echo', arguments: { message } },
      });
    for (const message of ['one', 'two', 'three', 'four', 'x'.repeat(2_000_000)])
      expect(JSON.stringify(await call(message))).contain(`Echo: ${message}`.slice(0, 1_000));
    expect(posts).above(6);
    await client.close();
  });

  it('keep the answer of a call whose connection was cut, at each process', async () => {
    const [atA, atB] = await pair();
    const name = 'x_everything_trigger-long-running-operation';
    const cut = new AbortController();
    const headers = { ...atA.headers, 'content-type': 'application/json', accept: BOTH };
    const params = { name: 'call_tool', arguments: { name, arguments: { duration: 3, steps: 3 } } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 5, method: 'tools/call', params });
    const response = await fetch(`${atA.url}/mcp`, { method: 'POST', headers, body, signal: cut.signal });
    let id = '';
    for await (const chunk of response.body ?? []) {
      id = /^id: (.*)$/m.exec(Buffer.from(chunk as Uint8Array).toString())?.[1] ?? '';
      if (id !== '') break;
    }
    cut.abort();
    const again = await fetch(`${atB.url}/mcp`, {
      headers: { ...atB.headers, accept: 'text/event-stream', 'last-event-id': id },
    });
    expect(again.status).equal(200);
    expect(await again.text())
      .contain('"id":5,"result"')
      .and.contain('Long running operation completed');
  });
});
