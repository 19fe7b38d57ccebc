import { expect } from 'chai';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { JsonObject } from '../../../kernel/index.ts';
import { hostOverSse } from '../../support/hostOverSse.ts';
import { HttpFixture } from './httpFixture.ts';
import { Rig, until } from './support.ts';

function greeter(): McpServer {
  const server = new McpServer({ name: 'greeter', version: '1' });
  server.registerTool('hi', {}, () => ({ content: [{ type: 'text', text: 'hello' }] }));
  return server;
}

describe('upstream: redirects', () => {
  let rig: Rig;
  let server: HttpFixture;
  beforeEach(async () => {
    rig = new Rig();
    server = new HttpFixture();
    await server.listen();
    await rig.configure();
  });
  afterEach(async () => {
    await rig.stop();
    await server.kill();
  });

  const define = (more: JsonObject = {}): Promise<void> =>
    rig.define({
      s: {
        type: 'streamable-http',
        url: server.url,
        headers: { authorization: 'Bearer hush' },
        timeout: 5,
        ...more,
      },
    });

  for (const status of [307, 308])
    it(`with ${status} within the origin is followed, and what worked is kept for the connection`, async () => {
      server.redirects['/mcp'] = { status, to: '/mcp/?tenant=1' };
      await define();
      await rig.hasTool('x_s_echo');
      expect(await rig.text('x_s_echo', { message: 'ü' })).to.equal('echo ü');
      await until('the stream', () => server.streams === 1);
      await rig.define({});
      await until('the end of the session', () => server.deleted === 1);
      const toOld = `POST /mcp ${status}`;
      const asked = server.paths.slice(server.paths.lastIndexOf(toOld));
      // The server refuses server/discover, which is not yet a success.
      expect(server.paths.filter((path) => path === toOld)).to.have.length(2);
      expect(new Set(asked)).to.deep.equal(
        new Set([toOld, 'POST /mcp/?tenant=1', 'GET /mcp/?tenant=1', 'DELETE /mcp/?tenant=1']),
      );
      expect(server.count('tools/call')).to.equal(1);
      expect(server.headers.every(({ authorization }) => authorization === 'Bearer hush')).to.equal(true);
    });

  it('of each call alone are followed anew when the new path has failed', async () => {
    await define();
    await rig.hasTool('x_s_echo');
    server.redirects['/mcp'] = { status: 307, to: '/moved' };
    expect(await rig.text('x_s_echo', { message: 'a' })).to.equal('echo a');
    server.redirects['/moved'] = { status: 307, to: '/mcp' };
    delete server.redirects['/mcp'];
    expect(await rig.text('x_s_echo', { message: 'b' })).to.equal('echo b');
  });

  it('are followed once, and the second one is named', async () => {
    server.redirects['/mcp'] = { status: 307, to: '/a' };
    server.redirects['/a'] = { status: 308, to: '/mcp' };
    await define();
    await rig.reaches('s', 'failed');
    expect(rig.status('s').error).to.contain('a redirect to /mcp, which is not followed');
    expect(server.headers).to.deep.equal([]);
  });

  for (const status of [301, 302, 303])
    it(`with ${status} are not followed: the request would become another one`, async () => {
      server.redirects['/mcp'] = { status, to: '/mcp/' };
      await define();
      await rig.reaches('s', 'failed');
      expect(rig.status('s').error).to.contain('a redirect to /mcp/, which is not followed');
      expect(server.headers).to.deep.equal([]);
    });

  it('to another origin are not followed, also not to the same host with another scheme', async () => {
    const other = new HttpFixture();
    await other.listen();
    for (const to of [other.url, server.url.replace('http:', 'https:'), `//${new URL(other.url).host}/mcp`]) {
      server.redirects['/mcp'] = { status: 307, to };
      await define({ description: to });
      await rig.reaches('s', 'failed');
      expect(rig.status('s').error).to.contain('which is not followed; set url to the address of the server');
      await rig.define({});
    }
    expect([...other.headers, ...server.headers]).to.deep.equal([]);
    await other.kill();
  });

  it('of the older transport are followed for its stream and for each message', async () => {
    await rig.define({ old: { type: 'sse', url: await hostOverSse(greeter, true), timeout: 5 } });
    await rig.hasTool('x_old_hi');
    expect(await rig.text('x_old_hi')).to.equal('hello');
  });
});
