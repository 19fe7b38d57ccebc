import { expect } from 'chai';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { textResult } from '../../../kernel/index.ts';
import { metaTool, startEdge, testTools, toolsPlugin } from '../../support/edge.ts';
import { defer } from '../../support/cleanup.ts';
import { moduleOf } from '../../support/gateway.ts';
import { until } from '../../support/until.ts';

async function connect(url: string): Promise<{ client: Client; transport: StreamableHTTPClientTransport }> {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`));
  await client.connect(transport);
  defer(() => client.close());
  return { client, transport };
}

describe('transport-http: the SDK client', () => {
  it('initializes, lists, calls, receives progress and ends its session', async () => {
    const tools = testTools();
    const { url } = await startEdge({ tools: tools.tools });
    const { client, transport } = await connect(url);
    expect((await client.listTools()).tools.map(({ name }) => name)).include('echo');
    await client.ping();
    const progress: number[] = [];
    const result = client.callTool({ name: 'slow', arguments: {} }, undefined, {
      onprogress: (update) => progress.push(update.progress),
    });
    const [waiting] = await tools.started(1);
    waiting?.call.progress?.({ progress: 1, total: 2 });
    await until(() => progress.length === 1, { what: 'progress reaches the client' });
    waiting?.finish();
    expect((await result).content).deep.equal([{ type: 'text', text: 'done' }]);
    await transport.terminateSession();
    expect(transport.sessionId).equal(undefined);
  });

  it('cancels a call', async () => {
    const tools = testTools();
    const { url } = await startEdge({ tools: tools.tools });
    const { client } = await connect(url);
    const abort = new AbortController();
    const call = client
      .callTool({ name: 'slow', arguments: {} }, undefined, { signal: abort.signal })
      .catch((error: unknown) => String(error));
    const [waiting] = await tools.started(1);
    abort.abort('enough');
    expect(await call).include('enough');
    await until(() => waiting?.call.cancel.reason, { what: 'the call is cancelled' });
  });

  it('receives the notification that the list of tools changed', async () => {
    const fast = { front: { config: { listChangedMs: 10 } } };
    const edge = await startEdge({ plugins: fast });
    const { client } = await connect(edge.url);
    let heard = 0;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void (heard += 1));
    const more = toolsPlugin('more', [metaTool('more', () => textResult('more'))]);
    edge.gateway.directory.write('more.mjs', moduleOf(more));
    await until(async () => {
      await edge.configure({ plugins: { ...fast, more: { module: './more.mjs' } } });
      await edge.configure({ plugins: fast });
      return heard > 0;
    });
  });

  it('gets an error for a tool that cannot be called by name', async () => {
    const { url } = await startEdge();
    const { client } = await connect(url);
    const failure: unknown = await client
      .callTool({ name: 'x_server_tool', arguments: {} })
      .catch((error: unknown) => error);
    expect(String(failure)).include('-32602').and.include('call_tool');
  });
});
