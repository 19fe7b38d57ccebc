import { expect } from 'chai';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { JsonObject } from '../../../kernel/index.ts';
import { hostOverSse } from '../../support/hostOverSse.ts';
import { startPrefixProxy } from '../../support/prefixProxy.ts';
import { startEdge } from '../../support/edge.ts';
import { Rig } from './support.ts';

function greeter(): McpServer {
  const server = new McpServer({ name: 'greeter', version: '1' });
  server.registerTool('hi', {}, () => ({ content: [{ type: 'text', text: 'hello' }] }));
  return server;
}

describe('upstream: a server of the older transport behind a path prefix', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = new Rig();
    await rig.configure();
  });
  afterEach(() => rig.stop());

  const define = (base: string, more: JsonObject = {}): Promise<void> =>
    rig.define({ s: { type: 'sse', url: `${base}/sse`, timeout: 5, ...more } });

  it('is used if it announces a relative path, as Pegboard does', async () => {
    await define(await startPrefixProxy((await startEdge()).url));
    await rig.hasTool('x_s_echo');
    expect(await rig.text('x_s_echo', { a: 1 })).to.equal('{"a":1}');
  });

  it('that announces a path without the prefix is named in the error, with the cure', async () => {
    await define(await startPrefixProxy(await hostOverSse(greeter)));
    await rig.reaches('s', 'failed');
    expect(rig.status('s').error).to.contain(
      'HTTP 404: no route (at /message, which it announced for messages); set messageUrl if its path is another one',
    );
  });

  it('is used with messageUrl, which takes the query that names the session', async () => {
    const base = await startPrefixProxy(await hostOverSse(greeter));
    await define(base, { messageUrl: `${base}/message?tenant=1` });
    await rig.hasTool('x_s_hi');
    expect(await rig.text('x_s_hi')).to.equal('hello');
  });

  it('gets nothing at a messageUrl of another origin', async () => {
    const base = await startPrefixProxy(await hostOverSse(greeter));
    await define(base, { messageUrl: 'http://127.0.0.1:1/message' });
    await rig.reaches('s', 'failed');
    expect(rig.status('s').error).to.contain('messageUrl of the definition is not at the origin of url');
  });
});
